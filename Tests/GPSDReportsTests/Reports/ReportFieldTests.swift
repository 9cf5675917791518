import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import GPSDReports

/// Tests every declared field of every report.
@Suite(.inTurn) struct ReportFieldTests {
  static let reports: [any StoredReport.Type] = [
    TPV.self, SKY.self, SatelliteReport.self, GST.self, ATT.self, ClockReport.self,
    OscillatorReport.self, DeviceReport.self, DevicesReport.self, VersionReport.self,
    WatchReport.self, PollReport.self, ErrorReport.self,
  ]

  /// Values of a field as gpsd writes them.
  private static func values(_ field: FieldSpecification) -> [String] {
    switch field.kind {
    case .number, .integer:
      [field.range.lowerBound, field.range.upperBound, 1].filter(field.accepts).map {
        field.kind == .integer ? "\(Int($0))" : "\($0)"
      }
    case .flag: ["true", "false"]
    case .time: [#""2026-05-04T03:02:01.250Z""#]
    case .text, .device: [#""""#, #""é""#]
    case .list: ["[]", "[{}]"]
    case .className: []
    }
  }

  /// A line of a report with these members.
  private func line<Report: StoredReport>(_ report: Report.Type, _ members: String) -> String {
    let names = Report.className.map { [#""class":"\#($0)""#] } ?? []
    return "{\((names + [members]).joined(separator: ","))}"
  }

  /// Decodes a report with the reader's scanner.
  private func scan<Report: StoredReport>(_ report: Report.Type, _ line: String) throws -> Report {
    let bytes = [UInt8]((line + "\n").utf8)
    var scanner = JSONScanner(bytes.span, length: bytes.count - 1)
    var memory = DecoderMemory(keepsUnknownMembers: false)
    var found = Report()
    _ = try scanner.fields(of: &found, in: Report.table, depth: 1, &memory)
    try scanner.finish()
    return found
  }

  @Test(
    "keys differ, ranges are not empty, indices are those of the properties", arguments: reports)
  func declarations(_ report: any StoredReport.Type) throws {
    func check<Report: StoredReport>(_ report: Report.Type) throws {
      let fields = Report.table.specifications.filter { $0.kind != .className }
      #expect(!fields.isEmpty)
      #expect(Set(fields.map(\.key) + ["class"]).count == fields.count + 1)
      for field in fields {
        #expect(field.range.lowerBound < field.range.upperBound, "\(field.key)")
        #expect(field.unit == nil || [.number, .integer].contains(field.kind), "\(field.key)")
        #expect((field.list != nil) == (field.kind == .list), "\(field.key)")
        guard field.kind == .integer else { continue }
        #expect(field.accepts(field.range.lowerBound))
        #expect(field.accepts(field.range.upperBound))
        #expect(Int(exactly: field.range.lowerBound) != nil)
        #expect(Int(exactly: field.range.upperBound) != nil)
      }
    }
    try check(report)
  }

  @Test("each field is decoded, encoded and printed", .longWork, arguments: reports)
  func roundTrip(_ report: any StoredReport.Type) throws {
    func check<Report: StoredReport>(_ report: Report.Type) throws {
      for (index, field) in Report.table.specifications.enumerated() {
        for value in Self.values(field) {
          let line = line(Report.self, "\"\(field.key)\":\(value)")
          let found = try scan(Report.self, line)
          let isPresent =
            switch field.kind {
            case .number, .integer, .flag, .time: found._number(at: index) != nil
            case .text, .device: found._text(at: index) != nil
            case .list, .className: found._objects(at: index) != nil
            }
          #expect(isPresent, "\(line)")
          #expect(found.unknownMembers == [:])
          #expect(found != Report() || field.list?.defaultValue != nil, "\(line)")
          #expect("\(found)".contains("\(field.key): "), "\(line)")
          let encoded = try JSONEncoder().encode(found)
          let expected = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary
          let encodedObject = try JSONSerialization.jsonObject(with: encoded) as? NSDictionary
          if value != "[{}]" {  // The encoded form of an element may add its class.
            let value = try #require(expected?[field.key] as? NSObject)
            #expect(encodedObject?[field.key] as? NSObject == value, "\(line)")
          }
          #expect(encodedObject?["class"] as? String == Report.className)
          #expect(try JSONDecoder().decode(Report.self, from: encoded) == found, "\(line)")
          #expect(try JSONDecoder().decode(Report.self, from: Data(line.utf8)) == found, "\(line)")
          #expect(
            try scan(Report.self, String(decoding: encoded, as: UTF8.self)) == found, "\(line)")
        }
      }
    }
    try check(report)
  }

  @Test("created reports have the same numbers as decoded reports")
  func creation() throws {
    func check<Report>(_ keys: [ReportKey<Report>]) throws {
      for key in keys {
        let field = Report.table.specifications[key.field]
        #expect(field.key == key.key)
        #expect(field.range == key.range)
        for number in [key.range.lowerBound, key.range.upperBound, 1] where field.accepts(number) {
          let created = try key.create(number)
          #expect(created[key] == number)
          #expect(created._number(at: key.field) == number)
          let value = key.isInteger ? "\(Int(number))" : "\(number)"
          let decoded = try scan(Report.self, line(Report.self, "\"\(key.key)\":\(value)"))
          #expect(created == decoded, "\(key.key): \(number)")
        }
        for number in [key.range.lowerBound - 1, key.range.upperBound + 1]
        where !field.accepts(number) && abs(number) < 1e18 {
          #expect {
            try key.create(number)
          } throws: { error in
            let error = error as? LocationError
            return error?.code == .invalidValue && error?.message.hasPrefix(key.key) == true
          }
        }
      }
    }
    try check(ReportKeys.tpv)
    try check(ReportKeys.sky)
    try check(ReportKeys.satellite)
    try check(ReportKeys.attitude)
    try check(ReportKeys.noise)
    try check(ReportKeys.clock)
    try check(ReportKeys.oscillator)
    try check(ReportKeys.device)
    try check(ReportKeys.version)
    try check(ReportKeys.watch)
    try check(ReportKeys.poll)
  }

  @Test func creationThrowsTheFirstRefusal() {
    func message(_ body: () throws -> TPV) -> String? {
      do {
        _ = try body()
        return nil
      } catch {
        return (error as? LocationError)?.message
      }
    }
    #expect(
      message {
        try TPV {
          $0.latitude = 91
          $0.mode = 9
        }
      } == "lat of TPV must be in -90.0...90.0.")
    #expect(message { try TPV { $0.mode = 9 } } == "mode of TPV must be whole and in 0.0...3.0.")
    #expect(message { try TPV { $0.climb = .nan } } == "climb of TPV must be finite.")
    #expect(
      message { try TPV { $0.speed = -1 } } == "speed of TPV must be finite and at least 0.0.")
    #expect(
      message { try TPV { $0.time = .distantFuture + 1e13 } }
        == "time of TPV must be in the years 1 to 9999.")
  }

  @Test func assignedFieldsCanBeReadDuringCreation() throws {
    let satellite = try SatelliteReport { $0.isUsed = true }
    let sky = try SKY {
      $0.device = "/dev/a"
      $0.usedCount = 1
      $0.satellites = [satellite]
      #expect($0.device == "/dev/a")
      #expect($0.usedCount == 1)
      #expect($0.satellites == [satellite])
      $0.visibleCount = 5
      $0.visibleCount = nil
    }
    #expect(sky.device == "/dev/a")
    #expect(sky.usedCount == 1)
    #expect(sky.visibleCount == nil)
    #expect(sky.satellites?.map(\.isUsed) == [true])
    let device = try DeviceReport { $0.path = "/dev/a" }
    #expect(try DevicesReport { $0.devices = [device] }.devices.map(\.path) == ["/dev/a"])
    #expect(try DevicesReport { $0.remote = "r" }.devices == [])
    let removed = try DeviceReport { $0.activated = Date(timeIntervalSince1970: 0) }
    #expect(removed.isRemoved)
    #expect(removed.activated == nil)
    let fix = try TPV { $0.mode = 2 }
    let poll = try PollReport { $0.fixes = [fix] }
    #expect(poll.fixes?.map(\.mode) == [2])
    #expect(poll.noises == nil)
  }
}
