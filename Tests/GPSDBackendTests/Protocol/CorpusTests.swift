import AsyncLocation
import Foundation
import Testing

@testable import GPSDBackend

private let corpus = ProcessInfo.processInfo.environment["ASYNC_LOCATION_CORPUS"]

/// Recordings' reports, field by field against another parser of JSON.
@Suite(
  .enabled(
    if: corpus != nil, "set ASYNC_LOCATION_CORPUS to the folder that holds gpsd-3.22 and gpsd-next")
)
struct CorpusTests {
  struct Counts {
    var lines: [String: Int] = [:]
    var fields: [String: Int] = [:]
    var outOfRange: [String: Int] = [:]

    mutating func count(_ name: String) { fields[name, default: 0] += 1 }
  }

  @Test(arguments: ["gpsd-3.22", "gpsd-next"])
  func everyFieldIsExact(_ folder: String) throws {
    let root = URL(fileURLWithPath: try #require(corpus)).appendingPathComponent(folder)
    let files = try FileManager.default.contentsOfDirectory(atPath: root.path)
      .filter { $0.hasSuffix(".chk") }.sorted()
    try #require(!files.isEmpty)
    var counts = Counts()
    for file in files {
      let data = try Data(contentsOf: root.appendingPathComponent(file))
      for line in data.split(separator: 10) where line.first == UInt8(ascii: "{") {
        try check(Array(line), &counts, in: file)
      }
    }
    print("\(folder): \(files.count) files, lines \(counts.lines.sorted { $0.key < $1.key })")
    print("\(folder): fields compared \(counts.fields.values.reduce(0, +))")
    print("\(folder): of them out of their range \(counts.outOfRange)")
    #expect(counts.fields.count > 40)
  }

  func check(_ line: [UInt8], _ counts: inout Counts, in file: String) throws {
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any], "\(file)")
    let name = try #require(object["class"] as? String)
    guard case .report(let report)? = read(line + [10]).items.first else {
      Issue.record("\(file): a line was dropped: \(String(decoding: line, as: UTF8.self))")
      return
    }
    counts.lines[name, default: 0] += 1
    switch (name, report) {
    case ("TPV", .timePositionVelocity(let report)):
      compare(object, ReportKeys.tpv, name, &counts) { report[$0] }
      compare(object, "time", report.time, &counts)
      compare(object, "device", report.device, &counts)
      compare(object, "datum", report.datum, &counts)
      refuseOthers(object, ReportKeys.tpv.map(\.key) + ["time", "device", "datum"], name)
    case ("SKY", .sky(let report)):
      compare(object, ReportKeys.sky, name, &counts) { report[$0] }
      compare(object, "time", report.time, &counts)
      compare(object, "device", report.device, &counts)
      refuseOthers(object, ReportKeys.sky.map(\.key) + ["time", "device", "satellites"], name)
      let satellites = object["satellites"] as? [[String: Any]]
      #expect(satellites?.count == report.satellites?.count)
      for (object, satellite) in zip(satellites ?? [], report.satellites ?? []) {
        compare(object, ReportKeys.satellite, "satellite", &counts) { satellite[$0] }
        #expect(object["used"] as? Bool == satellite[.isUsed].map { $0 == 1 })
        refuseOthers(object, ReportKeys.satellite.map(\.key) + ["used"], "satellite")
      }
    case ("ATT", .attitude(let report)):
      compare(object, ReportKeys.attitude, name, &counts) { report[$0] }
      compare(object, "time", report.time, &counts)
      let texts = [
        ("device", report.device), ("mag_st", report.magneticStatus),
        ("pitch_st", report.pitchStatus), ("roll_st", report.rollStatus),
        ("yaw_st", report.yawStatus),
      ]
      for (key, text) in texts { compare(object, key, text, &counts) }
      refuseOthers(object, ReportKeys.attitude.map(\.key) + texts.map(\.0) + ["time"], name)
    case ("DEVICE", .device(let report)): compare(object, report, &counts)
    case ("DEVICES", .devices(let report)):
      let devices = try #require(object["devices"] as? [[String: Any]])
      #expect(devices.count == report.devices.count)
      for (object, device) in zip(devices, report.devices) { compare(object, device, &counts) }
    case ("VERSION", .version(let report)):
      compare(object, "release", report.release, &counts)
      compare(object, "rev", report.revision, &counts)
      #expect(object["proto_major"] as? Int == report.protocolMajor)
      #expect(object["proto_minor"] as? Int == report.protocolMinor)
    default: #expect(report == .other(name), "\(file)")
    }
  }

  func compare(_ object: [String: Any], _ report: DeviceReport, _ counts: inout Counts) {
    compare(object, ReportKeys.device, "DEVICE", &counts) { report[$0] }
    compare(object, "activated", report.activated, &counts)
    compare(object, "path", report.path, &counts)
    compare(object, "driver", report.driver, &counts)
    compare(object, "subtype", report.subtype, &counts)
    compare(object, "subtype1", report.secondSubtype, &counts)
    compare(object, "parity", report.parity, &counts)
  }

  func compare<Field>(
    _ object: [String: Any], _ keys: [ReportKey<Field>], _ name: String, _ counts: inout Counts,
    _ value: (Field) -> Double?
  ) {
    for key in keys {
      let number = (object[key.key] as? NSNumber)?.doubleValue
      let expected = number.flatMap(key.expected)
      #expect(
        value(key.field)?.bitPattern == expected?.bitPattern,
        "\(name).\(key.key): \(number ?? .nan)")
      guard number != nil else { continue }
      counts.count("\(name).\(key.key)")
      if expected == nil { counts.outOfRange["\(name).\(key.key)", default: 0] += 1 }
    }
  }

  func compare(
    _ object: [String: Any], _ key: String, _ text: String?, _ counts: inout Counts
  ) {
    #expect(object[key] as? String == text, "\(key)")
    if text != nil { counts.count(key) }
  }

  func compare(_ object: [String: Any], _ key: String, _ time: Date?, _ counts: inout Counts) {
    guard let written = object[key] as? String else {
      #expect(time == nil)
      return
    }
    counts.count(key)
    let parts = written.dropLast().split(separator: ".")
    let formatter = ISO8601DateFormatter()
    let whole = formatter.date(from: parts[0] + "Z")
    let fraction = parts.count > 1 ? Double("0." + parts[1]) ?? .nan : 0
    #expect(time == whole.map { $0 + fraction }, "\(written)")
  }

  /// A field that nobody decodes would go unnoticed otherwise.
  func refuseOthers(_ object: [String: Any], _ keys: [String], _ name: String) {
    let others = Set(object.keys).subtracting(keys).subtracting(["class"])
    #expect(others.isEmpty, "\(name) has fields that are not decoded")
  }
}
