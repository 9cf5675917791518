import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

/// Compares with gpxpy, an independent reader, on files of many shapes.
@Suite(.inTurn) struct GPXPYTests {
  private static let python = ProcessInfo.processInfo.environment["ASYNC_LOCATION_GPXPY"]
  private static let script =
    String(
      #filePath.dropLast("/LocationRecordingTests/GPX/GPXPYTests.swift".count))
    + "/Scripts/gpx-points"

  @Test(
    .enabled(
      if: python != nil,
      "set ASYNC_LOCATION_GPXPY to a Python that has the package gpxpy"), .longWork)
  func gpxpyReadsTheSamePoints() async throws {
    let folder = try TemporaryFolder()
    let documents = (0..<200).map { GeneratedGPX(seed: UInt64($0)).text }
    let paths = try documents.enumerated().map { number, text in
      try folder.write(Array(text.utf8), to: "\(number).gpx")
    }
    let theirs: [[Double?]] = try await lines(of: paths)
    let theirWaypoints: [[String?]] = try await lines(of: ["--waypoints"] + paths)
    var ours: [[Double?]] = []
    var ourWaypoints: [[String?]] = []
    for (number, text) in documents.enumerated() {
      let recording = try recording(text)
      #expect(recording.skipped.isEmpty, "\(recording.skipped)\n\(text)")
      for (location, time) in zip(recording.locations, recording.times) {
        ours.append([
          Double(number), location.latitude, location.longitude, location.altitude,
          time?.timeIntervalSince1970,
        ])
      }
      ourWaypoints += recording.waypoints.map { waypoint in
        [
          "\(waypoint.coordinate.latitude)", "\(waypoint.coordinate.longitude)", waypoint.name,
          waypoint.comment, waypoint.details, waypoint.symbol, waypoint.type,
        ]
      }
    }
    #expect(ourWaypoints == theirWaypoints)
    #expect(ourWaypoints.count > 100)
    try #require(ours.count == theirs.count)
    #expect(ours.count > 1000)
    for (our, their) in zip(ours, theirs) {
      let isEqual = zip(our, their).allSatisfy { left, right in
        switch (left, right) {
        case (nil, nil): true
        case (let left?, let right?): abs(left - right) <= 2e-6
        default: false
        }
      }
      #expect(isEqual, "ours \(our), gpxpy's \(their)\n\(documents[Int(our[0] ?? 0)])")
    }
  }

  /// Returns the lines that the script prints for its arguments, decoded as JSON.
  private func lines<Value: Decodable>(of arguments: [String]) async throws -> [Value] {
    let output = try await Command.output(of: [try #require(Self.python), Self.script] + arguments)
    return try output.split(separator: "\n").map {
      try JSONDecoder().decode(Value.self, from: Data($0.utf8))
    }
  }
}

/// A GPX document of a random shape.
private struct GeneratedGPX {
  private var random: SplitMix64
  private(set) var text = ""
  private let isVersion10: Bool

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    isVersion10 = seed % 3 == 0
    let namespace = "http://www.topografix.com/GPX/1/\(isVersion10 ? 0 : 1)"
    text = seed % 2 == 0 ? "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" : ""
    text += "<gpx version=\"1.\(isVersion10 ? 0 : 1)\" creator='a &amp; b'"
    text += seed % 5 == 0 ? ">" : " xmlns=\"\(namespace)\" xmlns:x=\"urn:x\">"
    text += isVersion10 ? "<name>n</name>" : "<metadata><name><![CDATA[<n>]]></name></metadata>"
    for _ in 0..<pick(3) { point("wpt") }
    for _ in 0..<pick(2) {
      text += "<rte>"
      for _ in 0..<pick(3) { point("rtept") }
      text += "</rte>"
    }
    for _ in 0...pick(2) {
      text += "<trk><!-- <trkpt> --><name>t</name>"
      for _ in 0...pick(2) {
        text += "\n<trkseg>"
        for _ in 0..<pick(6) { point("trkpt") }
        text += "</trkseg>"
      }
      text += "</trk>"
    }
    text += "</gpx>\n"
  }

  /// Returns a random number in `0..<count`.
  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  private mutating func point(_ name: String) {
    let latitude = Double.random(in: -90...90, using: &random)
    let longitude = Double.random(in: -180...180, using: &random)
    let digits = pick(10)
    text += "\n<\(name) lat=\"\(fixed(latitude, digits))\"  lon='\(fixed(longitude, digits))'"
    guard pick(6) > 0 else {
      text += "/>"
      return
    }
    text += ">"
    if pick(3) > 0 { text += "<ele>\(fixed(Double(pick(9000)) - 400.25, pick(4)))</ele>" }
    if pick(4) > 0 { text += "<time>\(time())</time>" }
    if isVersion10, pick(2) == 0 { text += "<course>10</course><speed>2.5</speed>" }
    text += ["", "<name>a&lt;b</name>", "<name><![CDATA[x]]></name>", "<sym>é</sym>"][pick(4)]
    if pick(3) == 0 { text += "<fix>3d</fix><sat>7</sat><hdop>1.5</hdop>" }
    text += "</\(name)>"
  }

  private mutating func time() -> String {
    let date =
      "\(2000 + pick(60))-\((1 + pick(12)).padded(to: 2))-\((1 + pick(28)).padded(to: 2))"
    let time =
      "T\(pick(24).padded(to: 2)):\(pick(60).padded(to: 2)):\(pick(60).padded(to: 2))"
    let fraction = ["", ".5", ".123", ".123456"][pick(4)]
    let zone = ["Z", "Z", "+00:00", "-05:30", "+14:00", ""][pick(6)]
    return date + time + fraction + zone
  }

  private func fixed(_ value: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", value)
  }
}
