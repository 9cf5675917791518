package import AsyncLocation
import FoundationEssentials

/// Packs the locations of a device into few bytes, and unpacks exactly the same locations.
///
/// The values of a member are stored one after another, each as its difference from the previous
/// value; for the time, differences of these differences are stored. The values are integers in the
/// largest decimal unit in which all of them are exact, such as 10⁻⁷ degrees; for speeds, units of
/// km/h are preferred to units of m/s. A member without such a unit is stored as 64-bit
/// floating-point numbers.
///
/// | part | bytes |
/// | --- | --- |
/// | version | 1 |
/// | number of locations | a variable-length number |
/// | each member of ``Member`` | its unit; a presence bit per location if some lack it; its values |
/// | rest | the number of distinct rests; the length and the JSON of each; an index per location |
///
/// A variable-length number has seven bits per byte, the lowest first, as in LEB128. A difference
/// is such a number with the sign in the lowest bit. A rest has the members of a location that are
/// packed as JSON. The indices are omitted if there is only one rest.
package enum PackedLocations {
  private static var version: UInt8 { 1 }
  /// The maximum number of locations that are packed together.
  package static var limit: Int { 1 << 16 }

  // MARK: Packing

  /// - Parameter locations: At most ``limit``. Ascending order of time gives the fewest bytes.
  package static func pack(_ locations: [Location]) throws -> [UInt8] {
    precondition(locations.count <= limit, "Pack at most \(limit) locations together.")
    var writer = PackedWriter()
    writer.bytes.reserveCapacity(16 + 24 * locations.count)
    writer.add(version)
    writer.add(UInt64(locations.count))
    for member in Member.allCases {
      pack(locations.map { member.value(of: $0) }, of: member, into: &writer)
    }
    try packRests(locations, into: &writer)
    return writer.bytes
  }

  private static func pack(
    _ values: [Double?], of member: Member, into writer: inout PackedWriter
  ) {
    let present = values.compactMap(\.self)
    guard !present.isEmpty else { return writer.add(PackedUnit.absent) }
    let unit = PackedUnit(for: present, member)
    let isPartial = present.count < values.count
    writer.add(unit.byte | (isPartial ? PackedUnit.partial : 0))
    if isPartial { writer.add(bits: values.map { $0 != nil }) }
    guard let numbers = unit.numbers(present) else {
      for value in present { writer.bytes.append(littleEndian: value.bitPattern) }
      return
    }
    var (previous, difference) = (Int64(0), Int64(0))
    for number in numbers {
      let step = number &- previous
      // Times mostly increase by a constant step.
      writer.add(signed: member == .time ? step &- difference : step)
      (previous, difference) = (number, step)
    }
  }

  private static func packRests(_ locations: [Location], into writer: inout PackedWriter) throws {
    var (rests, indices) = ([PackedRest](), [PackedRest: Int]())
    let restIndices = locations.map { location in
      let rest = PackedRest(location)
      if let index = indices[rest] { return index }
      indices[rest] = rests.count
      rests.append(rest)
      return rests.count - 1
    }
    writer.add(UInt64(rests.count))
    for rest in rests {
      let json = try rest.json
      writer.add(UInt64(json.count))
      writer.bytes += json
    }
    guard rests.count > 1 else { return }
    for index in restIndices { writer.add(UInt64(index)) }
  }

  // MARK: Unpacking

  /// - Returns: The locations; nil for invalid bytes.
  package static func unpack(_ bytes: [UInt8]) -> [Location]? {
    var reader = PackedReader(bytes)
    guard reader.byte() == version, let number = reader.number(), number <= UInt64(limit) else {
      return nil
    }
    let count = Int(number)
    var members: [[Double?]] = []
    for member in Member.allCases {
      guard let values = unpack(member, count: count, &reader) else { return nil }
      members.append(values)
    }
    guard let rests = unpackRests(count: count, &reader), reader.isAtEnd else { return nil }
    var locations: [Location] = []
    locations.reserveCapacity(count)
    for index in 0..<count {
      guard let location = location(members, index, rests[index]) else { return nil }
      locations.append(location)
    }
    return locations
  }

  private static func unpack(
    _ member: Member, count: Int, _ reader: inout PackedReader
  ) -> [Double?]? {
    guard let byte = reader.byte() else { return nil }
    guard byte != PackedUnit.absent else { return Array(repeating: nil, count: count) }
    guard let unit = PackedUnit(byte: byte & ~PackedUnit.partial) else { return nil }
    var isPresent: [Bool]?
    if byte & PackedUnit.partial != 0 {
      guard let bits = reader.bits(count: count) else { return nil }
      isPresent = bits
    }
    var values: [Double?] = []
    values.reserveCapacity(count)
    var (previous, difference) = (Int64(0), Int64(0))
    for index in 0..<count {
      guard isPresent?[index] ?? true else {
        values.append(nil)
        continue
      }
      if unit.isRaw {
        guard let bits = reader.word() else { return nil }
        values.append(Double(bitPattern: bits))
      } else {
        guard let signed = reader.signed() else { return nil }
        let step = member == .time ? signed &+ difference : signed
        (previous, difference) = (previous &+ step, step)
        values.append(unit.value(previous))
      }
    }
    return values
  }

  private static func unpackRests(count: Int, _ reader: inout PackedReader) -> [PackedRest]? {
    guard let number = reader.number(), number <= UInt64(count) else { return nil }
    var rests: [PackedRest] = []
    for _ in 0..<number {
      guard let length = reader.number(), let json = reader.bytes(count: length),
        let rest = PackedRest(json: json)
      else { return nil }
      rests.append(rest)
    }
    guard rests.count != 1 else { return Array(repeating: rests[0], count: count) }
    var found: [PackedRest] = []
    for _ in 0..<count {
      guard let index = reader.number(), index < UInt64(rests.count) else { return nil }
      found.append(rests[Int(index)])
    }
    return found
  }

  private static func location(
    _ members: [[Double?]], _ index: Int, _ rest: PackedRest
  ) -> Location? {
    func value(_ member: Member) -> Double? { members[member.rawValue][index] }
    guard let seconds = value(.time), let latitude = value(.latitude),
      let longitude = value(.longitude)
    else { return nil }
    var packed = try? Location(
      latitude: latitude, longitude: longitude,
      timestamp: Date(timeIntervalSinceReferenceDate: seconds), altitude: value(.altitude),
      ellipsoidalAltitude: value(.ellipsoidalAltitude),
      horizontalAccuracy: value(.horizontalAccuracy), verticalAccuracy: value(.verticalAccuracy),
      speed: value(.speed), speedAccuracy: value(.speedAccuracy), course: value(.course),
      courseAccuracy: value(.courseAccuracy), climb: value(.climb), floor: rest.floor,
      sourceInformation: rest.sourceInformation, gnss: rest.gnss)
    packed?.integrity = rest.integrity.flatMap(LocationIntegrity.init(names:))
    return packed
  }
}

extension PackedLocations {
  /// The members that are packed as numbers, in this order.
  enum Member: Int, CaseIterable {
    case time, latitude, longitude, altitude, ellipsoidalAltitude, horizontalAccuracy
    case verticalAccuracy, speed, speedAccuracy, course, courseAccuracy, climb

    func value(of location: Location) -> Double? {
      switch self {
      case .time: location.timestampSeconds
      case .latitude: location.latitude
      case .longitude: location.longitude
      case .altitude: location.altitude
      case .ellipsoidalAltitude: location.ellipsoidalAltitude
      case .horizontalAccuracy: location.horizontalAccuracy
      case .verticalAccuracy: location.verticalAccuracy
      case .speed: location.speed
      case .speedAccuracy: location.speedAccuracy
      case .course: location.course
      case .courseAccuracy: location.courseAccuracy
      case .climb: location.climb
      }
    }
  }
}

/// The members of a location that are packed as JSON.
private struct PackedRest: Hashable, Codable {
  let floor: Int?
  let sourceInformation: SourceInformation?
  let gnss: GNSSFix?
  /// Names, since a later version may know others; nil without an assessment.
  let integrity: [String]?

  init(_ location: Location) {
    (floor, sourceInformation, gnss) = (location.floor, location.sourceInformation, location.gnss)
    integrity = location.integrity?.reasons.ownNames
  }

  private var isEmpty: Bool {
    floor == nil && sourceInformation == nil && gnss == nil && integrity == nil
  }

  /// Empty for a location without such members.
  var json: [UInt8] {
    get throws { isEmpty ? [] : [UInt8](try JSONEncoder().encode(self)) }
  }

  init?(json: [UInt8]) {
    let text = json.isEmpty ? Array("{}".utf8) : json
    guard let rest = try? JSONDecoder().decode(Self.self, from: Data(text)) else { return nil }
    self = rest
  }
}
