import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct BackendDemandTests {
  struct Row: Sendable {
    let one: BackendDemand
    let other: BackendDemand
    let merged: BackendDemand
  }

  static let rows = [
    Row(
      one: .init(kinds: .locations), other: .init(kinds: .headings),
      merged: .init(kinds: [.locations, .headings])),
    Row(
      one: .init(kinds: .locations, desiredAccuracy: .hundredMeters),
      other: .init(kinds: .locations, desiredAccuracy: .nearestTenMeters),
      merged: .init(kinds: .locations, desiredAccuracy: .nearestTenMeters)),
    Row(
      one: .init(kinds: .locations, desiredAccuracy: .kilometer), other: .init(kinds: .locations),
      merged: .init(kinds: .locations)),
    Row(
      one: .init(kinds: .locations, minimumInterval: .seconds(5)),
      other: .init(kinds: .locations, minimumInterval: .seconds(2)),
      merged: .init(kinds: .locations, minimumInterval: .seconds(2))),
    Row(
      one: .init(kinds: .locations, devices: ["a"]),
      other: .init(kinds: .locations, devices: ["b"]),
      merged: .init(kinds: .locations, devices: ["a", "b"])),
    Row(
      one: .init(kinds: .locations, devices: ["a"]), other: .init(kinds: .locations),
      merged: .init(kinds: .locations)),
    Row(
      one: .init(kinds: .locations, isPaused: true),
      other: .init(kinds: .locations, isPaused: true),
      merged: .init(kinds: .locations, isPaused: true)),
    Row(
      one: .init(kinds: .locations, isPaused: true), other: .init(kinds: .locations),
      merged: .init(kinds: .locations)),
    Row(
      one: .init(kinds: .locations, isPaused: true), other: .init(kinds: .headings),
      merged: .init(kinds: [.locations, .headings], isPaused: true)),
  ]

  @Test(arguments: rows)
  func mergedDemandCoversBoth(_ row: Row) {
    #expect(row.one.merged(with: row.other) == row.merged)
    #expect(row.other.merged(with: row.one) == row.merged)
    // Merging again changes nothing.
    #expect(row.merged.merged(with: row.one) == row.merged)
  }

  @Test func optionsDetermineTheDemand() {
    let options = UpdateOptions(
      minimumInterval: .seconds(3), desiredAccuracy: .hundredMeters, device: "/dev/a")
    #expect(
      options.demand
        == BackendDemand(
          kinds: .locations, desiredAccuracy: .hundredMeters, minimumInterval: .seconds(3),
          devices: ["/dev/a"]))
    #expect(UpdateOptions().demand == BackendDemand(kinds: .locations))
    #expect(
      HeadingOptions(device: "/dev/b").demand
        == BackendDemand(kinds: .headings, devices: ["/dev/b"]))
  }
}
