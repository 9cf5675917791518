package import AsyncLocation
import JSONScanning

/// The content that ``LocationDecoder`` finds in a payload.
package enum DecodedLocation: Sendable, Hashable {
  /// A location.
  ///
  /// - Parameter request: The request for a confirmation; nil without one. See ``StoredTimes``.
  case location(Location, request: ConfirmationRequest? = nil)
  /// The last will of a device (`lwt`).
  case lastWill
  /// A message that is encrypted with the device's key.
  case encrypted
  /// Valid JSON of another type.
  case other
  /// Not a message of OwnTracks, or a location without a position or time.
  case malformed(OwnTracksError)
}

/// Reads the location of a payload and nothing else: the fast path of a fleet.
///
/// It makes one pass over the bytes and allocates no memory for a typical payload.
/// ``OwnTracksMessage`` uses it too, so that both agree on every input. If several members have the
/// same name, the first one is used, as in OwnTracks' Recorder.
package enum LocationDecoder {
  /// The members that are read.
  private enum Field: Int {
    case latitude, longitude, seconds, nanoseconds, accuracy, altitude, verticalAccuracy, speed
    case course, confirmation, previous, type, suspicion

    /// - Parameter name: The result of ``JSONDocumentScanner/packedName()``.
    @inline(__always)
    init?(named name: UInt64) {
      switch name {
      case 0x74_616C: self = .latitude  // lat
      case 0x6E_6F6C: self = .longitude  // lon
      case 0x74_7374: self = .seconds  // tst
      case 0x736E_5F74_7374: self = .nanoseconds  // tst_ns
      case 0x63_6361: self = .accuracy  // acc
      case 0x74_6C61: self = .altitude  // alt
      case 0x63_6176: self = .verticalAccuracy  // vac
      case 0x6C_6576: self = .speed  // vel
      case 0x67_6F63: self = .course  // cog
      case 0x6D_7269_666E_6F63: self = .confirmation  // confirm
      case 0x72_6574_6661: self = .previous  // after
      case 0x65_7079_745F: self = .type  // _type
      case 0x74_6365_7073_7573: self = .suspicion  // suspect
      default: return nil
      }
    }
  }

  /// The name of the member with the names of ``/AsyncLocation/LocationIntegrity/Reasons``; empty for
  /// a plausible location. Other programs ignore it.
  static let suspicionMember = "suspect"
  /// The maximum number of names that are read in it.
  private static let maximumNameCount = 32

  /// The names of the members that are read.
  static let memberNames: Set<String> = [
    "lat", "lon", "tst", "tst_ns", "acc", "alt", "vac", "vel", "cog", "_type", suspicionMember,
    ConfirmationRequest.startMember, ConfirmationRequest.previousMember,
  ]

  private enum MessageType { case absent, location, lastWill, encrypted, other }

  /// The values of a payload.
  private struct Members {
    var type = MessageType.absent
    var integrity: LocationIntegrity?
    /// NaN stands for a member that is absent or not a number.
    private var numbers = InlineArray<11, Double>(repeating: .nan)
    private var seen: UInt16 = 0

    /// Marks a member as read; returns false if it was read before.
    @inline(__always)
    mutating func begin(_ field: Field) -> Bool {
      let bit: UInt16 = 1 &<< UInt16(truncatingIfNeeded: field.rawValue)
      guard seen & bit == 0 else { return false }
      seen |= bit
      return true
    }

    @inline(__always)
    subscript(field: Field) -> Double {
      get { numbers[field.rawValue] }
      set { numbers[field.rawValue] = newValue }
    }

    /// The number of a member; nil if it is absent or out of range.
    @inline(__always)
    func number(_ field: Field, in range: ClosedRange<Double>) -> Double? {
      range.contains(self[field]) ? self[field] : nil
    }
  }

  /// Decodes the payload of a message.
  package static func decode(_ payload: Span<UInt8>) -> DecodedLocation {
    var members = Members()
    do throws(OwnTracksError) {
      var scanner = try Payload.scanner(payload)
      do throws(JSONDocumentScanner.Fault) {
        try read(&scanner, into: &members)
      } catch {
        throw OwnTracksError(error)
      }
    } catch {
      return .malformed(error)
    }
    switch members.type {
    case .absent: return .malformed(OwnTracksError(.noType, "The payload has no _type."))
    case .lastWill: return .lastWill
    case .encrypted: return .encrypted
    case .other: return .other
    case .location: return location(members)
    }
  }

  @inline(__always)
  private static func read(
    _ scanner: inout JSONDocumentScanner, into members: inout Members
  ) throws(JSONDocumentScanner.Fault) {
    guard !scanner.skipEmptyObject() else { return try scanner.finish() }
    repeat {
      let name = try scanner.packedName()
      try scanner.skipColon()
      guard let field = Field(named: name), members.begin(field) else {
        try scanner.skipValue(depth: 1)
        continue
      }
      if field == .suspicion {
        members.integrity = try integrity(&scanner)
      } else if field != .type {
        members[field] = try scanner.number(depth: 1) ?? .nan
      } else if scanner.byte == UInt8(ascii: "\"") {
        let type = try scanner.text()
        members.type =
          switch type.packed {
          case 0x6E6F_6974_6163_6F6C: .location  // location
          case 0x74_776C: .lastWill  // lwt
          default: type.matches("encrypted") ? .encrypted : .other
          }
      } else {
        try scanner.skipValue(depth: 1)
      }
    } while try scanner.readSeparator(or: UInt8(ascii: "}"))
    try scanner.finish()
  }

  /// Reads the names of reasons; nil for anything else, and if there are names but no known one.
  private static func integrity(
    _ scanner: inout JSONDocumentScanner
  ) throws(JSONDocumentScanner.Fault) -> LocationIntegrity? {
    let start = scanner.position
    try scanner.skipValue(depth: 1)
    let value = scanner.bytes.extracting(start..<scanner.position)
    // A plausible location, without an allocation.
    if value.count == 2, value[0] == UInt8(ascii: "[") { return .plausible }
    guard let elements = try? JSONDocument(value.indices.map { value[$0] }).root.elements else {
      return nil
    }
    let names = elements.prefix(maximumNameCount).map(\.text)
    guard !names.contains(nil) else { return nil }
    return LocationIntegrity(names: names.compactMap(\.self))
  }

  /// Creates the location. Required members must be valid. Any other invalid member is treated as
  /// absent, such as the negative numbers that mean "unknown" on iOS.
  @inline(__always)
  private static func location(_ members: Members) -> DecodedLocation {
    guard let latitude = members.number(.latitude, in: -90...90) else {
      return .malformed(.invalid("lat", "a number in -90...90"))
    }
    guard let longitude = members.number(.longitude, in: -180...180) else {
      return .malformed(.invalid("lon", "a number in -180...180"))
    }
    guard
      let timestamp = PayloadTime.date(
        seconds: members[.seconds], nanoseconds: members[.nanoseconds])
    else { return .malformed(.noTime) }
    var location = Location(
      checked: Coordinate(checkedLatitude: latitude, longitude: longitude),
      timestamp: timestamp, altitude: members.number(.altitude, in: .altitude),
      ellipsoidalAltitude: nil,
      horizontalAccuracy: members.number(.accuracy, in: .nonNegative),
      verticalAccuracy: members.number(.verticalAccuracy, in: .nonNegative),
      speed: members.number(.speed, in: .nonNegative).map { $0 / 3.6 }, speedAccuracy: nil,
      course: members.number(.course, in: 0...360), courseAccuracy: nil, climb: nil,
      sourceInformation: nil, gnss: nil)
    location.integrity = members.integrity
    return .location(
      location, request: members[.confirmation].isNaN ? nil : request(members))
  }

  private static func request(_ members: Members) -> ConfirmationRequest? {
    LocationTime(seconds: members[.confirmation]).map {
      ConfirmationRequest(from: $0, after: LocationTime(seconds: members[.previous]))
    }
  }
}
