import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import GPSDReports

/// Compares the reports of recordings with another JSON parser, field by field.
@Suite(.needsCorpus, .inTurn) struct CorpusTests {
  struct Counts {
    var lines: [String: Int] = [:]
    /// The numbers of compared values, and of those that were out of range, by class and key.
    var fields: [String: Int] = [:]
    var outOfRange: [String: Int] = [:]
    var roundTrips = 0
    /// The number of members of all lines, at every depth.
    var members = 0
    /// The number of members that are absent from the encoded form, by name, and how many of these
    /// mean "no value".
    var lost: [String: Int] = [:]
    var noValues: [String: Int] = [:]

    mutating func count(_ name: String) { fields[name, default: 0] += 1 }
  }

  @Test(.longWork) func everyFieldIsExact() async throws {
    for folder in Corpus.folders { try await compare(folder) }
  }

  func compare(_ folder: String) async throws {
    let files = try Corpus.reports(in: folder)
    var counts = Counts()
    for (file, data) in files {
      for line in data.split(separator: 10) where line.first == UInt8(ascii: "{") {
        try check(Array(line), &counts, in: file)
      }
    }
    print("\(folder): \(files.count) files, lines \(counts.lines.sorted { $0.key < $1.key })")
    print("\(folder): fields compared \(counts.fields.values.reduce(0, +))")
    print("\(folder): round trips \(counts.roundTrips)")
    print("\(folder): of them out of their range \(counts.outOfRange)")
    let noValues = counts.noValues.map { "\($0.value) of \($0.key)" }.sorted()
    print(
      "\(folder): \(counts.lost.values.reduce(0, +)) of \(counts.members) members lost; no values: "
        + (noValues.isEmpty ? "none" : noValues.joined(separator: ", ")))
    #expect(counts.lost == [:])
    #expect(counts.fields.count > 40)
  }

  func check(_ line: [UInt8], _ counts: inout Counts, in file: String) throws {
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any], "\(file)")
    let name = try #require(object["class"] as? String)
    guard case .report(let knownReport)? = read(line + [10]).items.first else {
      Issue.record("\(file): a line was dropped: \(String(decoding: line, as: UTF8.self))")
      return
    }
    counts.lines[name, default: 0] += 1
    let report = try GPSDReport(line: line)
    if case .other = knownReport {} else { #expect(knownReport == known(line), "\(file)") }
    compare(object, report, &counts)
    try roundTrip(object, report, line, &counts, in: file)
  }

  func compare(_ object: [String: Any], _ report: GPSDReport, _ counts: inout Counts) {
    let name = report.className
    compare(object, "device", report.device, name == "DEVICE" ? nil : name, &counts)
    switch report {
    case .tpv(let report):
      compare(object, ReportKeys.tpv, name, &counts) { report[$0] }
      compare(object, "time", report.time, &counts)
      compare(object, "datum", report.datum, name, &counts)
      expectNoOthers(object, ReportKeys.tpv.map(\.key) + ["time", "device", "datum"], name)
    case .sky(let report):
      compare(object, ReportKeys.sky, name, &counts) { report[$0] }
      compare(object, "time", report.time, &counts)
      expectNoOthers(object, ReportKeys.sky.map(\.key) + ["time", "device", "satellites"], name)
      let satellites = object["satellites"] as? [[String: Any]]
      #expect(satellites?.count == report.satellites?.count)
      for (object, satellite) in zip(satellites ?? [], report.satellites ?? []) {
        compare(object, ReportKeys.satellite, "satellite", &counts) { satellite[$0] }
        compare(object, "used", satellite.isUsed, "satellite", &counts)
        expectNoOthers(object, ReportKeys.satellite.map(\.key) + ["used"], "satellite")
      }
    case .att(let report), .imu(let report):
      compare(object, ReportKeys.attitude, name, &counts) { report[$0] }
      compare(object, "time", report.time, &counts)
      let texts = [
        ("mag_st", report.magneticStatus), ("pitch_st", report.pitchStatus),
        ("roll_st", report.rollStatus), ("yaw_st", report.yawStatus), ("msg", report.message),
      ]
      for (key, text) in texts { compare(object, key, text, name, &counts) }
      expectNoOthers(
        object, ReportKeys.attitude.map(\.key) + texts.map(\.0) + ["time", "device"], name)
    case .gst(let report):
      compare(object, ReportKeys.noise, name, &counts) { report[$0] }
      compare(object, "time", report.time, &counts)
      expectNoOthers(object, ReportKeys.noise.map(\.key) + ["time", "device"], name)
    case .toff(let report), .pps(let report):
      compare(object, ReportKeys.clock, name, &counts) { report[$0] }
      compare(object, "shm", report.memoryUnit, name, &counts)
      expectNoOthers(object, ReportKeys.clock.map(\.key) + ["device", "shm"], name)
    case .osc(let report):
      compare(object, ReportKeys.oscillator, name, &counts) { report[$0] }
      compare(object, "running", report.isRunning, name, &counts)
      compare(object, "reference", report.hasReference, name, &counts)
      compare(object, "disciplined", report.isDisciplined, name, &counts)
      expectNoOthers(object, ["delta", "running", "reference", "disciplined", "device"], name)
    case .device(let report): compare(object, report, &counts)
    case .devices(let report):
      let devices = object["devices"] as? [[String: Any]]
      #expect(devices?.count == report.devices.count)
      for (object, device) in zip(devices ?? [], report.devices) {
        compare(object, device, &counts)
      }
    case .version(let report):
      compare(object, ReportKeys.version, name, &counts) { report[$0] }
      compare(object, "release", report.release, name, &counts)
      compare(object, "rev", report.revision, name, &counts)
      compare(object, "remote", report.remote, name, &counts)
    case .ais(let report), .rtcm2(let report), .rtcm3(let report), .subframe(let report),
      .raw(let report), .log(let report), .other(let report):
      // Every encoded field comes from the line; the round trip compares them.
      #expect(report.className == object["class"] as? String)
      for key in object.keys { counts.count("\(name).\(key)") }
    default: Issue.record("no recording is known to have \(name): compare its fields here")
    }
  }

  /// Checks that the encoded form equals the line, and that both decode to the same report: the
  /// encoded form with the library's reader and with Foundation's, the line with Foundation's.
  func roundTrip(
    _ object: [String: Any], _ report: GPSDReport, _ line: [UInt8], _ counts: inout Counts,
    in file: String
  ) throws {
    let encoded = try JSONEncoder().encode(report)
    let encodedObject = try #require(
      try JSONSerialization.jsonObject(with: encoded) as? [String: Any], "\(file)")
    countLost(object, encodedObject, object["class"] as? String ?? "", &counts)
    let expected = ReportKeys.allowed(object)
    #expect(
      NSDictionary(dictionary: encodedObject) == NSDictionary(dictionary: expected), "\(file)")
    let decoder = JSONDecoder()
    #expect(try GPSDReport(line: encoded) == report, "\(file)")
    #expect(try decoder.decode(GPSDReport.self, from: encoded) == report, "\(file)")
    #expect(try decoder.decode(GPSDReport.self, from: Data(line)) == report, "\(file)")
    counts.roundTrips += 1
  }

  /// The numbers that gpsd writes for "no value", by the report's class and the member.
  static let noValues: [String: (reason: String, isMet: @Sendable (Double) -> Bool)] = [
    "TPV.magvar": ("999.9 means none", { abs($0) > 180 }),
    "TPV.magtrack": ("a sum with such a magvar", { $0 > 360 }),
    "SKY.satellites.ss": ("-1 means none", { $0 == -1 }),
    "ATT.heading": ("no direction: a compass' raw count", { $0 > 360 }),
  ]

  /// Counts the members of an object, and those that are absent or different in the encoded form.
  func countLost(_ object: Any, _ encodedObject: Any?, _ name: String, _ counts: inout Counts) {
    switch object {
    case let object as [String: Any]:
      for (key, value) in object {
        countLost(value, (encodedObject as? [String: Any])?[key], "\(name).\(key)", &counts)
      }
    case let list as [Any]:
      let others = encodedObject as? [Any] ?? []
      for (index, value) in list.enumerated() {
        countLost(value, index < others.count ? others[index] : nil, name, &counts)
      }
    default:
      counts.members += 1
      if let encodedObject, NSArray(object: object).isEqual(NSArray(object: encodedObject)) {
        return
      }
      if let rule = Self.noValues[name], let number = object as? NSNumber,
        rule.isMet(number.doubleValue)
      {
        counts.noValues["\(name) (\(rule.reason))", default: 0] += 1
      } else {
        counts.lost[name, default: 0] += 1
      }
    }
  }

  func compare(_ object: [String: Any], _ report: DeviceReport, _ counts: inout Counts) {
    compare(object, ReportKeys.device, "DEVICE", &counts) { report[$0] }
    compare(object, "activated", report.activated, &counts)
    let texts = [
      ("path", report.path), ("driver", report.driver), ("subtype", report.subtype),
      ("subtype1", report.secondSubtype), ("parity", report.parity),
      ("sernum", report.serialNumber), ("hexdata", report.hexadecimalData),
    ]
    for (key, text) in texts { compare(object, key, text, "DEVICE", &counts) }
  }

  func compare<Report>(
    _ object: [String: Any], _ keys: [ReportKey<Report>], _ name: String, _ counts: inout Counts,
    _ value: (ReportKey<Report>) -> Double?
  ) {
    for key in keys {
      let number = (object[key.key] as? NSNumber)?.doubleValue
      let expected = number.flatMap(key.expected)
      #expect(
        value(key)?.bitPattern == expected?.bitPattern,
        "\(name).\(key.key): \(number ?? .nan)")
      guard number != nil else { continue }
      counts.count("\(name).\(key.key)")
      if expected == nil { counts.outOfRange["\(name).\(key.key)", default: 0] += 1 }
    }
  }

  func compare(
    _ object: [String: Any], _ key: String, _ text: String?, _ name: String?,
    _ counts: inout Counts
  ) {
    guard let name else { return }
    #expect(object[key] as? String == text, "\(name).\(key)")
    if text != nil { counts.count("\(name).\(key)") }
  }

  func compare(
    _ object: [String: Any], _ key: String, _ flag: Bool?, _ name: String, _ counts: inout Counts
  ) {
    #expect(object[key] as? Bool == flag, "\(name).\(key)")
    if flag != nil { counts.count("\(name).\(key)") }
  }

  func compare(_ object: [String: Any], _ key: String, _ time: Date?, _ counts: inout Counts) {
    guard let written = object[key] as? String else {
      #expect(time == nil)
      return
    }
    counts.count("\(object["class"] ?? "").\(key)")
    let parts = written.dropLast().split(separator: ".")
    let formatter = ISO8601DateFormatter()
    let whole = formatter.date(from: parts[0] + "Z")
    let fraction = parts.count > 1 ? Double("0." + parts[1]) ?? .nan : 0
    #expect(time == whole.map { $0 + fraction }, "\(written)")
  }

  /// Checks that an object has no other members than these keys and the class.
  func expectNoOthers(_ object: [String: Any], _ keys: [String], _ name: String) {
    let others = Set(object.keys).subtracting(keys).subtracting(["class"])
    #expect(others.isEmpty, "\(name) has fields that are not decoded")
  }
}
