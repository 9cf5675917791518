import AsyncLocation
import FoundationEssentials
import MockBackend
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

@Suite(.inTurn) struct PublishedConditionTests {
  typealias State = Monitor.State

  struct Row: Sendable, CustomTestStringConvertible {
    let from: State
    let to: State
    let event: TransitionMessage.Event?
    var testDescription: String { "\(from) to \(to)" }
  }

  static let rows = [
    Row(from: .unknown, to: .satisfied, event: .enter),
    Row(from: .unsatisfied, to: .satisfied, event: .enter),
    Row(from: .unmonitored, to: .satisfied, event: .enter),
    Row(from: .satisfied, to: .unsatisfied, event: .leave),
    Row(from: .unknown, to: .unsatisfied, event: nil),
    Row(from: .unmonitored, to: .unsatisfied, event: nil),
    Row(from: .satisfied, to: .unmonitored, event: nil),
    Row(from: .satisfied, to: .unknown, event: nil),
  ]

  @Test(arguments: rows)
  func anEntryAndAnExitAreTransitions(_ row: Row) throws {
    let date = Date(timeIntervalSince1970: 1_777_863_600)
    let location = try PublisherBench.location(3)
    let event = Monitor.Event(
      identifier: "harbour", number: 1, state: row.to, previousState: row.from, date: date,
      location: location)
    let message = TransitionMessage(event)
    #expect(message?.event == row.event)
    guard let message else { return }
    #expect(message.name == "harbour")
    #expect(message.time == date)
    #expect(message.coordinate == location.coordinate)
    #expect(message.horizontalAccuracy == 5)
  }

  @Test(.enabled(if: RealBroker.isInstalled, "mosquitto is not installed"))
  func conditionsAndEventsReachOtherClients() async throws {
    let broker = try RealBroker()
    let subscriber = try await ForeignSubscriber(to: "owntracks/jane/boat/+", of: broker)
    let bench = try PublisherBench(broker)
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<1)
    while bench.publisher.statistics.published < 1 { await Task.yield() }
    let center = try Coordinate(latitude: 60, longitude: 24.5)
    let others = try await bench.publisher.publish(waypoints: [
      "harbour": .circle(center: center, radius: 100),
      "road": .corridor(along: [center, Coordinate(latitude: 61, longitude: 24.5)], width: 20),
    ])
    #expect(others == ["road"])
    let event = Monitor.Event(
      identifier: "harbour", number: 1, state: .satisfied, previousState: .unknown, date: Date(),
      location: nil)
    #expect(try await bench.publisher.publish(event))
    let messages = await subscriber.messages(2)
    #expect(
      messages.map(\.topic) == ["owntracks/jane/boat/waypoints", "owntracks/jane/boat/event"])
    #expect(messages[0].payload.contains(#""desc":"harbour""#))
    #expect(messages[1].payload.contains(#""event":"enter""#))
    run.cancel()
    _ = await run.result
  }
}
