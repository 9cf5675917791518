package import AsyncLocation
public import FoundationEssentials

/// gpsd's SKY: the dilution of precision and the satellites. One epoch may have several.
public struct SKY: FieldReport {
  /// The fields of SKY.
  public struct Fields: Sendable {
    /// The time of the report, by the receiver's clock.
    public let time = ReportField<Date>("time")
    /// The longitude dilution of precision.
    public let eastDilution = ReportField<Double>("xdop", .nonNegative)
    /// The latitude dilution of precision.
    public let northDilution = ReportField<Double>("ydop", .nonNegative)
    /// The vertical dilution of precision.
    public let verticalDilution = ReportField<Double>("vdop", .nonNegative)
    /// The time dilution of precision.
    public let timeDilution = ReportField<Double>("tdop", .nonNegative)
    /// The horizontal dilution of precision.
    public let horizontalDilution = ReportField<Double>("hdop", .nonNegative)
    /// The position (three-dimensional) dilution of precision.
    public let positionDilution = ReportField<Double>("pdop", .nonNegative)
    /// The geometric (position and time) dilution of precision.
    public let geometricDilution = ReportField<Double>("gdop", .nonNegative)
    /// The number of satellites in the list.
    public let visibleCount = ReportField<Int>("nSat", 0...1000)
    /// The number of satellites used in the fix.
    public let usedCount = ReportField<Int>("uSat", 0...1000)
    /// The residual of the pseudorange rates in metres per second; rarely sent.
    public let rateResidual = ReportField<Double>("prRes", in: .metresPerSecond)
    /// The receiver's code for the quality of the fix; rarely sent.
    public let quality = ReportField<Int>("qual", 0...255)
    /// The receiver that sent the report.
    public let device = ReportField<String>.device("device")
    /// The tracked or predicted satellites, in the receiver's order; nil if the report has no list.
    public let satellites = ReportField<[SatelliteReport]>("satellites", atMost: 4096)
  }

  @usableFromInline
  var storage = FieldStorage<12, 1, SatelliteLists>()

  // Inlinable: other modules would otherwise call the unspecialized code of `StoredReport`.
  @inlinable @inline(__always)
  public func _number(at index: Int) -> Double? { storage.numbers[index] }

  package var satelliteCount: Int { storage.lists.count }

  /// Members of `satellites` without a field in ``SatelliteReport``, by the satellite's index and
  /// by name. Satellites without such members are omitted.
  public var unknownSatelliteMembers: [Int: [String: JSONValue]] {
    storage.lists.unknown.mapValues(\.all)
  }
}

extension SKY: StoredReport {
  static let table = makeTable(Fields())
  static var className: String? { "SKY" }
  static var orderSlot: Int { 2 }

  var expectedListLength: Int { min(self.visibleCount ?? 0, 256) }

  func skipsLists(_ memory: borrowing DecoderMemory) -> Bool {
    // Without these counts, the satellites must be counted in the list.
    !memory.keepsSatellites && self.visibleCount != nil && self.usedCount != nil
  }
}

extension SKY {
  package var members: [DescribedMember] {
    let unknown = unknownSatelliteMembers.sorted { $0.key < $1.key }.map { satellite, members in
      DescribedMember("satellites[\(satellite)]", JSONValue.object(members))
    }
    return fieldMembers + unknown
  }
}
