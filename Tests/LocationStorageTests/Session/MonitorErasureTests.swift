import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import LocationStorage

/// What is left in the files of a monitor when its events lost their locations.
@Suite(.inTurn) struct MonitorErasureTests {
  @Test("F62 no file has the location of an event that was withheld")
  func noFileHasTheLocation() async throws {
    let folder = try StorageFolder()
    let (session, _) = try await folder.storage.open("m")
    let latitude = 48.137_154_321_987
    let circle = StoredCondition(
      identifier: "c",
      condition: try .circle(center: Coordinate(latitude: 1, longitude: 1), radius: 100))
    func event(_ location: Location?) -> Monitor.Event {
      Monitor.Event(
        identifier: "c", number: 1, state: .satisfied, previousState: .unsatisfied,
        date: Date(timeIntervalSince1970: 1_800_000_000), location: location)
    }
    let exact = try Location(latitude: latitude, longitude: 11, timestamp: .now)
    try await session.commit([.add(circle), .event(event(exact))])
    #expect(
      try folder.names().contains {
        Data(try folder.bytes($0)).range(of: Data("48.137154321987".utf8)) != nil
      })
    try await session.replace(
      with: StoredMonitor(
        conditions: [circle], events: [StoredEvent(event(nil))], lastNumber: 1))
    let bytes = Data("48.137154321987".utf8)
    func files() throws -> [String] {
      try folder.names().filter { Data(try folder.bytes($0)).range(of: bytes) != nil }
    }
    let open = try files()
    await session.close()
    let closed = try files()
    #expect(open.isEmpty && closed.isEmpty)
  }
}
