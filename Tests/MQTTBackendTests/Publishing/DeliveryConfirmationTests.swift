import AsyncLocation
import FoundationEssentials
import LocationPublishing
import MockBackend
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

/// A delivery whose locations a server confirms.
@Suite(.inTurn) struct DeliveryConfirmationTests {
  private typealias Machine = DeliveryStateMachine

  private static let topic = "owntracks/jane/boat"

  private static func publication(
    _ number: UInt64, topic: String = topic, at second: Int? = nil
  ) throws -> StoredPublication {
    let location = try PublisherBench.location(second ?? Int(number))
    return StoredPublication(
      number: number,
      PendingPublication(
        topic: topic, payload: OwnTracksMessage.location(LocationMessage(location)).json,
        isRetained: true, date: location.timestamp))
  }

  private static func time(_ second: Int) -> LocationTime {
    LocationTime(seconds: Double(PublisherBench.start + second))!
  }

  private static func stored(_ seconds: Int..., by server: String? = nil) -> StoredTimes {
    StoredTimes(from: time(0), seconds.map(time), by: server)
  }

  /// Returns a machine that has handed over publications, its connection, and the publications as
  /// they are sent.
  private static func machine(
    _ publications: [StoredPublication]
  ) throws -> (Machine, Machine.ConnectionID, [StoredPublication]) {
    var machine = Machine(window: 10, confirmedTopic: topic)
    let connection = machine.opened()
    let request = try #require(machine.request)
    let sent = machine.handOver(publications, for: request)
    return (machine, connection, sent)
  }

  /// The request of a location; nil without one.
  private static func request(_ publication: StoredPublication) -> ConfirmationRequest? {
    guard
      case .location(_, let request) = LocationDecoder.decode(publication.publication.payload.span)
    else { return nil }
    return request
  }

  /// The time from which a location requests confirmations; nil without a request.
  private static func start(_ publication: StoredPublication) -> LocationTime? {
    request(publication)?.start
  }

  @Test("F78 each location names the unconfirmed one before it")
  func locationsNameTheOneBeforeThem() throws {
    var (machine, connection, sent) = try Self.machine([1, 2, 3].map { try Self.publication($0) })
    #expect(sent.map { Self.request($0)?.previous } == [nil, Self.time(1), Self.time(2)])
    for number in 1...3 as ClosedRange<UInt64> {
      _ = machine.acknowledged(number, on: connection)
    }
    // One that is sent alone names one that was sent earlier, and one that is confirmed is not named.
    _ = machine.confirmed(Self.stored(1, 3))
    var request = try #require(machine.request)
    sent = machine.handOver([try Self.publication(4)], for: request)
    #expect(sent.map { Self.request($0)?.previous } == [Self.time(2)])
    // Those that are sent again name those that remain.
    _ = machine.checkConfirmations()
    #expect(machine.checkConfirmations() == 1)
    request = try #require(machine.request)
    sent = machine.handOver(try [1, 2, 3, 4].map { try Self.publication($0) }, for: request)
    #expect(sent.map(\.number) == [2])
    #expect(sent.map { Self.request($0)?.previous } == [nil])
    #expect(sent.map(Self.start) == [Self.time(2)])
  }

  @Test func aLocationIsFinishedOnceItIsConfirmed() throws {
    var (machine, connection, sent) = try Self.machine([1, 2].map { try Self.publication($0) })
    #expect(sent.map(Self.start) == [Self.time(1), Self.time(1)])
    #expect(machine.acknowledged(1, on: connection) == .unconfirmed(released: nil))
    #expect(machine.finished == [])
    #expect(!machine.isIdle)
    // A location in flight is confirmed before the broker's answer arrives.
    #expect(machine.confirmed(Self.stored(1, 2, 7)).finished == [1])
    #expect(machine.finished == [1])
    #expect(machine.acknowledged(2, on: connection) == .finished(released: nil))
    #expect(machine.finished == [1, 2])
    machine.removed([1, 2])
    #expect(machine.isIdle)
  }

  @Test func otherMessagesAreFinishedWhenTheBrokerHasAcknowledgedThem() throws {
    let status = PendingPublication(
      topic: Self.topic + "/status", payload: Array(#"{"_type":"status"}"#.utf8), date: Date())
    let will = PendingPublication(
      topic: Self.topic, payload: Array(#"{"_type":"lwt","tst":1}"#.utf8), date: Date())
    var (machine, connection, sent) = try Self.machine([
      Self.publication(1, topic: "owntracks/jane/car"),
      StoredPublication(number: 2, status), StoredPublication(number: 3, will),
    ])
    #expect(sent.map(Self.start) == [nil, nil, nil])
    for number in 1...3 as ClosedRange<UInt64> {
      #expect(machine.acknowledged(number, on: connection) == .finished(released: nil))
    }
  }

  @Test func withoutConfirmationsNothingIsRequested() throws {
    var machine = Machine(window: 10)
    let connection = machine.opened()
    let publication = try Self.publication(1)
    let sent = machine.handOver([publication], for: try #require(machine.request))
    #expect(sent == [publication])
    #expect(machine.acknowledged(1, on: connection) == .finished(released: nil))
  }

  @Test func anOverdueLocationIsSentAgainAndNotRetained() throws {
    let publications = try [1, 2, 3].map { try Self.publication($0) }
    var (machine, connection, sent) = try Self.machine(publications)
    #expect(sent.map(\.publication.isRetained) == [true, true, true])
    for number in 1...3 as ClosedRange<UInt64> {
      _ = machine.acknowledged(number, on: connection)
    }
    #expect(machine.confirmed(Self.stored(2)).finished == [2])
    #expect(machine.checkConfirmations() == 0, "the first check marks")
    #expect(machine.checkConfirmations() == 2)
    machine.removed([2])
    sent = machine.handOver(
      [publications[0], publications[2]], for: try #require(machine.request))
    #expect(sent.map(\.number) == [1, 3])
    #expect(sent.map(\.publication.isRetained) == [false, true], "the last one stays the last one")
    #expect(sent.map(Self.start) == [Self.time(1), Self.time(1)])
  }

  @Test func anotherConnectionSendsAgainWhatIsUnconfirmed() throws {
    let publications = try [1, 2].map { try Self.publication($0) }
    var (machine, connection, _) = try Self.machine(publications)
    _ = machine.acknowledged(1, on: connection)
    machine.closed()
    #expect(machine.unconfirmed.isEmpty)
    _ = machine.opened()
    let sent = machine.handOver(publications, for: try #require(machine.request))
    #expect(sent.map(\.number) == [1, 2])
    #expect(machine.acknowledged(1, on: connection) == .ignored)
  }

  @Test func anotherRunOfTheServerGetsTheRestAgain() throws {
    let publications = try [1, 2, 3, 4].map { try Self.publication($0) }
    var (machine, connection, _) = try Self.machine(publications)
    for number in 1...3 as ClosedRange<UInt64> {
      _ = machine.acknowledged(number, on: connection)
    }
    _ = machine.confirmed(Self.stored(by: "a"), isRetained: true)
    let first = machine.confirmed(Self.stored(1, by: "a"))
    #expect(first == Machine.Confirmation(finished: [1], refused: [], again: 0))
    #expect(machine.confirmed(Self.stored(by: "b")).again == 2)
    #expect(machine.confirmed(Self.stored(by: "b")).again == 0)
    let sent = machine.handOver(publications, for: try #require(machine.request))
    #expect(sent.map(\.number) == [2, 3], "the fourth is on its way")
    #expect(sent.map(\.publication.isRetained) == [false, false])
  }

  /// Otherwise, the first confirmation of each connection would repeat locations that are on their
  /// way to the server.
  @Test func theFirstConfirmationRepeatsOnlyOverdueLocations() throws {
    let publications = try [1, 2].map { try Self.publication($0) }
    var (machine, connection, _) = try Self.machine(publications)
    _ = machine.acknowledged(1, on: connection)
    _ = machine.checkConfirmations()
    _ = machine.acknowledged(2, on: connection)
    #expect(machine.confirmed(Self.stored(by: "a")).again == 1)
    #expect(machine.unconfirmed.keys.sorted() == [2])
  }

  /// A group of many servers would otherwise have everything sent again and again.
  @Test func confirmationsOfManyServersCauseNoRepetition() throws {
    let publications = try [1, 2].map { try Self.publication($0) }
    var (machine, connection, _) = try Self.machine(publications)
    for server in 0..<16 { _ = machine.confirmed(Self.stored(by: "\(server)")) }
    _ = machine.acknowledged(1, on: connection)
    for server in 0..<40 { #expect(machine.confirmed(Self.stored(by: "\(server)")).again == 0) }
  }

  @Test func aLocationThatAServerRefusesIsFinished() throws {
    var (machine, connection, _) = try Self.machine([Self.publication(1), Self.publication(2)])
    for number in 1...2 as ClosedRange<UInt64> {
      _ = machine.acknowledged(number, on: connection)
    }
    let refusal = StoredTimes(from: Self.time(1), [Self.time(1)], refused: [Self.time(2)])
    let confirmation = machine.confirmed(refusal)
    #expect(confirmation == Machine.Confirmation(finished: [1], refused: [2], again: 0))
    #expect(machine.finished == [1, 2])
  }

  @Test func theNextRunDoesNotRetainAnOlderLocationAgain() throws {
    let (machine, _, _) = try Self.machine([Self.publication(7)])
    var next = machine.restarted
    _ = next.opened()
    let sent = next.handOver(
      [try Self.publication(6), try Self.publication(7)], for: try #require(next.request))
    #expect(sent.map(\.publication.isRetained) == [false, true])
  }

  @Test func onlyAsManyAreSentAsAServerConfirmsAtOnce() throws {
    var machine = Machine(window: 10, confirmedTopic: Self.topic)
    let connection = machine.opened()
    var number: UInt64 = 0
    while let request = machine.request {
      let publications = try (1...UInt64(request.count)).map { try Self.publication(number + $0) }
      #expect(machine.handOver(publications, for: request).count == publications.count)
      for publication in publications {
        _ = machine.acknowledged(publication.number, on: connection)
      }
      number += UInt64(request.count)
    }
    #expect(number == UInt64(StoredTimes.limit))
    _ = machine.confirmed(Self.stored(5, 6))
    #expect(machine.request?.count == 2)
  }

  @Test func aDeletionForgetsWhatIsUnconfirmed() throws {
    var (machine, connection, _) = try Self.machine([Self.publication(1)])
    _ = machine.acknowledged(1, on: connection)
    machine.deletedAll()
    #expect(machine.confirmed(Self.stored(1)).finished == [])
    #expect(machine.finished == [])
    #expect(machine.isIdle)
  }

  // MARK: Random schedules

  /// A publisher's storage, a broker that loses what it has acknowledged, and a server that loses
  /// what it has received and not stored.
  private struct World {
    var machine = Machine(window: 4, confirmedTopic: DeliveryConfirmationTests.topic)
    var connection: Machine.ConnectionID?
    var pending: [StoredPublication] = []
    var lastNumber: UInt64 = 0
    /// The publications at the broker, in the order of arrival.
    var broker: [(number: UInt64, isAcknowledged: Bool)] = []
    /// The publications that the server has received and not stored.
    var received: [UInt64] = []
    var stored: Set<UInt64> = []
    /// The last confirmation, which the broker retains.
    var confirmation: StoredTimes?
    var serverRun = 0

    mutating func step(_ random: inout SplitMix64) {
      switch Int.random(in: 0..<20, using: &random) {
      case 0, 1, 2:
        lastNumber += 1
        pending.append(try! DeliveryConfirmationTests.publication(lastNumber))
      case 3: open()
      case 4: close(losing: Bool.random(using: &random))
      case 5, 6, 7, 8: handOver()
      case 9, 10, 11: acknowledge()
      case 12, 13, 14: receive()
      case 15: (received, serverRun) = ([], serverRun + 1)  // The server crashes.
      case 16, 17: commit(confirms: Int.random(in: 0..<3, using: &random) > 0)
      case 18: removeFinished()
      default: _ = machine.checkConfirmations()
      }
    }

    mutating func open() {
      guard connection == nil else { return }
      connection = machine.opened(receiveMaximum: 3)
      if let confirmation { _ = machine.confirmed(confirmation, isRetained: true) }
    }

    mutating func close(losing: Bool) {
      guard connection != nil else { return }
      machine.closed()
      connection = nil
      // A broker that survives keeps what it has received, although it cannot acknowledge it any
      // more.
      broker = losing ? [] : broker.map { ($0.number, true) }
      if losing { confirmation = nil }
    }

    mutating func handOver() {
      guard let request = machine.request else { return }
      let read = pending.filter { $0.number > request.after }.prefix(request.count)
      let selected = machine.handOver(Array(read), for: request)
      if read.isEmpty { _ = machine.foundNothing(for: request) }
      broker += selected.map { ($0.number, false) }
    }

    mutating func acknowledge() {
      guard let connection, let index = broker.firstIndex(where: { !$0.isAcknowledged }) else {
        return
      }
      broker[index].isAcknowledged = true
      _ = machine.acknowledged(broker[index].number, on: connection)
    }

    mutating func receive() {
      guard let first = broker.first, first.isAcknowledged else { return }
      received.append(broker.removeFirst().number)
    }

    mutating func commit(confirms: Bool) {
      stored.formUnion(received)
      let times = received.map { DeliveryConfirmationTests.time(Int($0)) }
      received = []
      guard confirms else { return }
      let message = StoredTimes(
        from: DeliveryConfirmationTests.time(0), times, by: "\(serverRun)")
      confirmation = message
      if connection != nil { _ = machine.confirmed(message) }
    }

    mutating func removeFinished() {
      let finished = machine.finished
      #expect(stored.isSuperset(of: finished), "nothing is removed that no server has stored")
      pending.removeAll { finished.contains($0.number) }
      machine.removed(finished)
    }

    /// Delivers and confirms the remaining publications, without further losses.
    mutating func finish() {
      open()
      for _ in 0..<20 * (lastNumber + 1) where !pending.isEmpty {
        handOver()
        while broker.contains(where: { !$0.isAcknowledged }) { acknowledge() }
        while !broker.isEmpty { receive() }
        commit(confirms: true)
        removeFinished()
        _ = machine.checkConfirmations()
      }
      removeFinished()
    }
  }

  @Test("F75 whatever the broker and the server lose, each location is stored", .longWork)
  func losesNothing() {
    for seed in 0..<UInt64(Rounds.of(600)) {
      var random = SplitMix64(seed: seed)
      var world = World()
      for _ in 0..<150 { world.step(&random) }
      world.finish()
      #expect(world.stored == Set(1..<world.lastNumber + 1), "seed \(seed)")
      #expect(world.pending.isEmpty)
      #expect(world.machine.isIdle)
    }
  }
}
