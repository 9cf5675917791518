/// The list of satellites, with their unknown members.
@usableFromInline
struct SatelliteLists: ReportLists {
  /// Empty if absent; stored separately from `isPresent` so that its memory is reused.
  private var list: [SatelliteReport] = []
  private var isPresent = false
  /// Nil if empty.
  private var unknownOfSatellites: [Int: UnknownMembers]?

  var count: Int { list.count }
  /// The unknown members of satellites that have any, by the satellite's index.
  var unknown: [Int: UnknownMembers] { unknownOfSatellites ?? [:] }

  subscript(_ field: Int) -> (any ObjectList)? {
    get { isPresent ? list : nil }
    set {
      removeAll()
      guard let satellites = newValue as? [SatelliteReport] else { return }
      (list, isPresent) = (satellites, true)
    }
  }

  mutating func removeAll() {
    if isPresent { list.removeAll(keepingCapacity: true) }
    isPresent = false
    unknownOfSatellites = nil
  }

  mutating func begin(_ field: Int, _ specification: FieldSpecification.List, expecting count: Int)
  {
    removeAll()
    list.reserveCapacity(count)
    isPresent = true
  }

  mutating func add(
    _ field: Int, _ specification: FieldSpecification.List, _ scanner: inout JSONScanner,
    _ memory: inout DecoderMemory
  ) throws(JSONScanner.Fault) {
    try list.add(atMost: specification.maximum, &scanner, &memory)
    if !memory.unknownOfElement.isEmpty {
      storeUnknown(memory.unknownOfElement, ofSatelliteAt: list.count - 1)
      memory.unknownOfElement.removeAll()
    }
  }

  private mutating func storeUnknown(_ members: UnknownMembers, ofSatelliteAt index: Int) {
    unknownOfSatellites = unknownOfSatellites ?? [:]
    unknownOfSatellites?[index] = members
  }

  func encode(
    _ field: Int, _ specification: FieldSpecification.List, to container: inout FieldEncoding,
    forKey key: FieldKey
  ) throws {
    guard isPresent else { return }
    let satellites = list.enumerated().map { index, satellite in
      WholeSatellite(report: satellite, unknown: unknown[index] ?? UnknownMembers())
    }
    try container.encode(satellites, forKey: key)
  }

  mutating func decode(
    _ field: Int, _ specification: FieldSpecification.List, from container: FieldDecoding,
    forKey key: FieldKey
  ) {
    removeAll()
    let satellites = container.list(
      of: WholeSatellite.self, atMost: specification.maximum, forKey: key)
    guard let satellites else { return }
    (list, isPresent) = (satellites.map(\.report), true)
    for (index, satellite) in satellites.enumerated() where !satellite.unknown.isEmpty {
      storeUnknown(satellite.unknown, ofSatelliteAt: index)
    }
  }
}

/// A satellite with its unknown members, for encoding and decoding.
private struct WholeSatellite: Codable {
  let report: SatelliteReport
  let unknown: UnknownMembers

  init(report: SatelliteReport, unknown: UnknownMembers) {
    (self.report, self.unknown) = (report, unknown)
  }

  init(from decoder: any Decoder) throws {
    report = try SatelliteReport(from: decoder)
    unknown = UnknownMembers(
      in: try decoder.container(keyedBy: FieldKey.self),
      beside: SatelliteReport.table.specifications)
  }

  func encode(to encoder: any Encoder) throws { try report.write(to: encoder, with: unknown) }
}
