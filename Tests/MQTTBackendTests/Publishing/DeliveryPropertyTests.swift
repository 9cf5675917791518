import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import MQTTBackend

/// Random schedules of a delivery against a simple model of a storage and a broker.
@Suite(.inTurn) struct DeliveryPropertyTests {
  typealias ConnectionID = DeliveryStateMachine.ConnectionID

  static let rounds = Rounds.of(600)

  private struct Answer {
    let number: UInt64
    let connection: ConnectionID
    /// See ``World/session``.
    let session: Int
  }

  /// The machine, and the state outside of it.
  private struct World {
    var machine: DeliveryStateMachine
    let window: Int
    var isOpen = false
    /// The number of connections and deletions so far.
    var session = 0
    /// The publications that were handed over and are on their way to the connection.
    var queue: [(publications: [UInt64], connection: ConnectionID)] = []
    /// The waiting publications, ascending.
    var stored: [UInt64] = []
    var lastNumber: UInt64 = 0
    /// The publications that were sent and not answered, also those from before a deletion.
    var answers: [Answer] = []
    /// The publications that the broker has accepted, in the order of acceptance.
    var accepted: [UInt64] = []
    /// The publications that count as delivered.
    var delivered: Set<UInt64> = []
    var deleted: Set<UInt64> = []
    /// The topics that the broker refuses.
    var refused: Set<String> = []
    var isPaused = false

    init(window: Int) {
      (machine, self.window) = (DeliveryStateMachine(window: window), window)
    }

    /// One of three topics, in an irregular order.
    static func topic(_ number: UInt64) -> String { ["a", "b", "c"][Int(number * 7 % 5 % 3)] }

    mutating func step(_ generator: inout SplitMix64) {
      switch Int.random(in: 0..<21, using: &generator) {
      case 0, 1: append(Int.random(in: 1...5, using: &generator))
      case 2: open()
      case 3: close()
      case 4, 5, 6, 7: handOver(&generator)
      case 8, 9, 10, 11, 12: answer(&generator)
      case 13:
        let topic = ["a", "b", "c"].randomElement(using: &generator)!
        if refused.remove(topic) == nil { refused.insert(topic) }
      case 14: resume()
      case 15, 16, 17: transmit(&generator)
      case 18: removeFinished(fails: Int.random(in: 0..<3, using: &generator) == 0)
      case 19: drop(Int.random(in: 1...3, using: &generator))
      default: if Int.random(in: 0..<20, using: &generator) == 0 { deleteAll() }
      }
    }

    mutating func append(_ count: Int) {
      for _ in 0..<count {
        lastNumber += 1
        stored.append(lastNumber)
      }
    }

    mutating func open() {
      guard !isOpen else { return }
      _ = machine.opened()
      (isOpen, isPaused) = (true, false)
      session += 1
    }

    mutating func close() {
      guard isOpen else { return }
      machine.closed()
      isOpen = false
      // The publications have arrived, but their acknowledgements have not.
      accepted += answers.map(\.number).filter { !refused.contains(Self.topic($0)) }
      answers = []
    }

    /// Reads the storage and hands over what was read. Sometimes the connection changes in between.
    mutating func handOver(_ generator: inout SplitMix64, mayBeOvertaken: Bool = true) {
      guard let request = machine.request else { return }
      #expect(isOpen)
      #expect((1...window).contains(request.count))
      let read = Array(stored.filter { $0 > request.after }.prefix(request.count))
      var isOvertaken = false
      if mayBeOvertaken, Int.random(in: 0..<8, using: &generator) == 0 {
        close()
        open()
        isOvertaken = true
      }
      let selected = machine.handOver(read.map(Self.publication), for: request).map(\.number)
      if isOvertaken { #expect(selected.isEmpty) }
      if read.isEmpty { findNothing(for: request) }
      #expect(selected == selected.sorted())
      let underWay = answers.filter { $0.session == session }.map(\.number)
      #expect(Set(selected).isDisjoint(with: underWay), "none twice at a time")
      #expect(Set(selected).isDisjoint(with: delivered), "nothing that was delivered")
      #expect(Set(selected).isSubset(of: Set(stored)))
      queue.append((selected, request.connection))
      #expect(machine.underWayNumbers.count <= window)
    }

    /// A topic is released when none of its publications waits.
    private mutating func findNothing(for request: DeliveryStateMachine.Request) {
      let waiting = Set(stored.filter { !delivered.contains($0) }.map(Self.topic))
      let released = machine.foundNothing(for: request).map(\.text)
      #expect(waiting.isDisjoint(with: released))
    }

    /// Sends the batch that was handed over first. Sometimes its publications are withheld.
    mutating func transmit(_ generator: inout SplitMix64, mayBeWithheld: Bool = true) {
      guard !queue.isEmpty else { return }
      let (publications, connection) = queue.removeFirst()
      for number in publications where machine.isCurrent(connection) {
        guard mayBeWithheld, Int.random(in: 0..<8, using: &generator) == 0 else {
          answers.append(Answer(number: number, connection: connection, session: session))
          continue
        }
        let left = answers.filter { $0.session == session }.map(\.number)
        machine.withheld(except: Set(left), on: connection)
        #expect(!machine.isCurrent(connection))
      }
    }

    /// The broker answers in the order in which it received the publications, as MQTT requires.
    mutating func answer(_ generator: inout SplitMix64) {
      guard !answers.isEmpty else { return }
      let answer = answers.removeFirst()
      let isCurrent = answer.session == session
      guard !refused.contains(Self.topic(answer.number)) else {
        let refusal = machine.refused(answer.number, on: answer.connection)
        #expect((refusal != nil) == isCurrent, "answers of old connections are ignored")
        if let refusal {
          #expect(refusal.topic.text == Self.topic(answer.number))
          #expect(!refusal.beginsPause || !isPaused)
          isPaused = isPaused || refusal.beginsPause
        }
        return
      }
      accepted.append(answer.number)
      if case .finished = machine.acknowledged(answer.number, on: answer.connection) {
        #expect(isCurrent, "answers of old connections are ignored")
        delivered.insert(answer.number)
      }
    }

    /// Resumes also without a pause, since the connection of the pause may have ended.
    mutating func resume() {
      machine.resume()
      isPaused = false
    }

    mutating func removeFinished(fails: Bool) {
      let finished = machine.finished
      #expect(finished == finished.sorted())
      #expect(delivered.isSuperset(of: finished), "nothing is removed that was not delivered")
      guard !fails else { return }
      stored.removeAll { finished.contains($0) }
      machine.removed(finished)
    }

    /// Drops the oldest publications, as a limit does.
    mutating func drop(_ count: Int) {
      deleted.formUnion(stored.prefix(count))
      stored.removeFirst(min(count, stored.count))
    }

    mutating func deleteAll() {
      machine.deletedAll()
      deleted.formUnion(stored)
      (stored, isPaused) = ([], false)
      session += 1
    }

    /// Delivers the remaining publications, and checks that none of an accepted topic waits behind
    /// a refused one.
    mutating func finish(_ generator: inout SplitMix64) {
      open()
      resume()
      deliver(&generator)
      #expect(stored.allSatisfy { refused.contains(Self.topic($0)) }, "others go on")
      refused = []
      resume()
      deliver(&generator)
      #expect(stored.isEmpty)
      #expect(machine.isIdle)
      #expect(delivered.union(deleted) == Set(1..<(lastNumber + 1)), "nothing is lost")
      // The last copies of each topic's publications are in order, as they would be without
      // refusals.
      for topic in ["a", "b", "c"] {
        var last: [UInt64] = []
        for number in accepted.reversed() where Self.topic(number) == topic {
          if !last.contains(number), !deleted.contains(number) { last.append(number) }
        }
        #expect(last == last.sorted(by: >), "in order")
      }
    }

    private mutating func deliver(_ generator: inout SplitMix64) {
      // Each topic may be read again once it is accepted. The limit ends the loop after a defect.
      for _ in 0..<stored.count * 5 + 8 where !stored.isEmpty {
        handOver(&generator, mayBeOvertaken: false)
        while !queue.isEmpty { transmit(&generator, mayBeWithheld: false) }
        while !answers.isEmpty { answer(&generator) }
        removeFinished(fails: false)
      }
    }

    static func publication(_ number: UInt64) -> StoredPublication {
      StoredPublication(
        number: number,
        PendingPublication(
          topic: topic(number), payload: [], isRetained: false,
          date: Date(timeIntervalSince1970: Double(number))))
    }
  }

  @Test(.longWork) func losesNothing() {
    for seed in 0..<UInt64(Self.rounds) {
      var generator = SplitMix64(seed: seed)
      var world = World(window: Int.random(in: 1...8, using: &generator))
      for _ in 0..<100 { world.step(&generator) }
      world.finish(&generator)
    }
  }
}
