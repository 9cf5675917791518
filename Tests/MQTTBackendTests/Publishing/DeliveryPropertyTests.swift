import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import MQTTBackend

/// Random schedules of a delivery against a simple model of a storage and a broker.
@Suite(.inTurn) struct DeliveryPropertyTests {
  typealias ConnectionID = DeliveryStateMachine.ConnectionID

  static let rounds = Rounds.of(2_000)

  private struct Answer {
    let number: UInt64
    let connection: ConnectionID
  }

  /// What exists outside of the machine.
  private struct World {
    var machine: DeliveryStateMachine
    let window: Int
    var connection: ConnectionID?
    /// The waiting publications, ascending.
    var stored: [UInt64] = []
    var lastNumber: UInt64 = 0
    /// What was sent and not answered, also on earlier connections.
    var answers: [Answer] = []
    /// What the broker has accepted.
    var delivered: Set<UInt64> = []
    var deleted: Set<UInt64> = []
    /// What was handed over since the connection opened, the hold ended, or everything was deleted.
    var handedOver: [UInt64] = []
    var isHeld = false

    init(window: Int) {
      (machine, self.window) = (DeliveryStateMachine(window: window), window)
    }

    mutating func step(_ generator: inout SplitMix64) {
      switch Int.random(in: 0..<16, using: &generator) {
      case 0, 1: append(Int.random(in: 1...5, using: &generator))
      case 2: open()
      case 3: close()
      case 4, 5, 6, 7: handOver(&generator)
      case 8, 9, 10, 11: answer(&generator)
      case 12: hold(&generator)
      case 13: resume()
      case 14: removeDone(fails: Int.random(in: 0..<3, using: &generator) == 0)
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
      guard connection == nil else { return }
      connection = machine.opened()
      (isHeld, handedOver) = (false, [])
    }

    mutating func close() {
      guard connection != nil else { return }
      machine.closed()
      (connection, isHeld, handedOver) = (nil, false, [])
    }

    /// Reads the storage and hands over; sometimes the connection changes meanwhile.
    mutating func handOver(_ generator: inout SplitMix64) {
      guard let request = machine.request else { return }
      #expect(connection != nil && !isHeld)
      #expect((1...window).contains(request.count))
      let read = Array(stored.filter { $0 > request.after }.prefix(request.count))
      var isOvertaken = false
      if Int.random(in: 0..<8, using: &generator) == 0 {
        close()
        open()
        isOvertaken = true
      }
      let selected = machine.handOver(read.map(Self.publication), for: request).map(\.number)
      if isOvertaken { #expect(selected.isEmpty) }
      #expect(selected == selected.sorted())
      #expect(Set(selected).isDisjoint(with: handedOver), "none twice without a reason")
      if let first = selected.first, let last = handedOver.last { #expect(last < first) }
      #expect(Set(selected).isSubset(of: Set(stored)))
      handedOver += selected
      answers += selected.map { Answer(number: $0, connection: request.connection) }
      #expect(machine.underWayCount <= window)
    }

    mutating func answer(_ generator: inout SplitMix64) {
      guard let index = answers.indices.randomElement(using: &generator) else { return }
      let answer = answers.remove(at: index)
      if machine.finished(answer.number, on: answer.connection) {
        #expect(machine.isCurrent(answer.connection), "answers of old connections are ignored")
        delivered.insert(answer.number)
      }
    }

    mutating func hold(_ generator: inout SplitMix64) {
      guard let answer = answers.randomElement(using: &generator) else { return }
      let isCurrent = machine.isCurrent(answer.connection)
      let holds = machine.hold(answer.connection)
      #expect(holds == (isCurrent && !isHeld))
      if holds { isHeld = true }
    }

    /// Also without a hold: its connection may have ended since.
    mutating func resume() {
      machine.resume()
      if isHeld { handedOver = [] }
      isHeld = false
    }

    mutating func removeDone(fails: Bool) {
      let done = machine.takeDone()
      #expect(done == done.sorted())
      #expect(delivered.isSuperset(of: done), "nothing is removed that was not delivered")
      if fails { machine.keepDone(done) } else { stored.removeAll { done.contains($0) } }
    }

    mutating func deleteAll() {
      machine.deletedAll()
      deleted.formUnion(stored)
      (stored, handedOver) = ([], [])
      if connection != nil { connection = machine.request?.connection ?? connection }
    }

    /// Delivers all that is left.
    mutating func finish(_ generator: inout SplitMix64) {
      resume()
      close()
      open()
      for _ in 0..<10_000 where !stored.isEmpty {
        handOver(&generator)
        while !answers.isEmpty { answer(&generator) }
        removeDone(fails: false)
      }
      #expect(stored.isEmpty)
      #expect(machine.isIdle)
      #expect(delivered.union(deleted) == Set(1..<(lastNumber + 1)), "nothing is lost")
    }

    static func publication(_ number: UInt64) -> StoredPublication {
      StoredPublication(
        number: number,
        PendingPublication(
          topic: "a/b/c", payload: [], isRetained: false,
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
