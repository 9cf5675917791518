import AsyncLocation
import FleetChecks
import Foundation
import LocationFleet
import TestSupport
import Testing

@testable import PostgreSQLStorage

@Suite(.inTurn)
struct CommitContentTests {
  private static let device = FleetCommits.devices[0]

  private static func location(_ time: Double) -> Location {
    try! Location(
      latitude: 47, longitude: 8, timestamp: Date(timeIntervalSinceReferenceDate: time))
  }

  private static func last(_ time: Double) -> FleetStorageChange {
    .location(device, location(time), isLast: true)
  }

  private static func event(_ number: UInt64) -> FleetStorageChange {
    .event(
      FleetEvent(
        device: device, identifier: "a", previousState: .unknown, state: .satisfied,
        location: location(1), number: number))
  }

  @Test("a device that is forgotten and returns has only its later changes")
  func returned() throws {
    let content = CommitContent([
      Self.last(1), .states(Self.device, [1]), .forget(Self.device), .states(Self.device, [2]),
    ])
    let device = try #require(content.devices[Self.device])
    #expect(device.isForgotten)
    #expect(!device.isErased)
    #expect(device.locations.count == 1)
    #expect(device.last == nil)
    #expect(device.states == nil)
    let returned = CommitContent([
      .erase(Self.device), Self.last(2), .states(Self.device, [3]),
    ]).devices[Self.device]
    #expect(returned?.isErased == true)
    #expect(returned?.last == Self.location(2))
    #expect(returned?.states == [3])
  }

  @Test("an erasure removes the locations and the events before it")
  func erased() throws {
    let content = CommitContent([Self.last(1), Self.event(7), .erase(Self.device), Self.event(8)])
    #expect(content.devices[Self.device]?.locations == [])
    #expect(content.events.keys.sorted() == [8])
    #expect(content.lastNumber == 8)
  }

  @Test("an event that is finished in its commit is not written, and an earlier one is removed")
  func finished() {
    let content = CommitContent([
      Self.event(1), .offer(number: 1), .finish(number: 1), .offer(number: 0), Self.event(2),
      .offer(number: 2),
    ])
    #expect(content.events.keys.sorted() == [2])
    #expect(content.events[2]?.isRepeated == true)
    #expect(content.offered == [0])
    #expect(content.finished == [1])
  }

  @Test("only the last change of a condition is stored, by the bytes of its identifier")
  func conditions() throws {
    func add(_ identifier: String, _ revision: UInt32) throws -> FleetStorageChange {
      .add(
        StoredFleet.Condition(
          FleetCondition(
            identifier: identifier,
            condition: try .circle(center: Coordinate(latitude: 1, longitude: 2), radius: 3)),
          revision: revision))
    }
    let content = CommitContent([
      try add("a", 1), .remove(identifier: "a"), .remove(identifier: "b"), try add("b", 2),
      try add("\u{E9}", 3), try add("e\u{301}", 4),
    ])
    #expect(content.conditions.count == 4)
    #expect(content.conditions.values.compactMap(\.?.revision).sorted() == [2, 3, 4])
    #expect(content.lastRevision == 4)
  }
}
