import TestSupport
import Testing

@testable import AsyncLocation
@testable import MQTTBackend

@Suite(.inTurn)
struct PublisherPermissionStateMachineTests {
  private typealias Machine = PublisherPermissionStateMachine

  private static let full = Authorization(status: .authorizedAlways, accuracy: .full)
  private static let reduced = Authorization(status: .authorizedAlways, accuracy: .reduced)
  private static let denied = Authorization(status: .denied, accuracy: .full)
  private static let lapsed = Authorization(status: .notDetermined, accuracy: .full)

  /// Checks that the current permission covers every publication that is sent, whatever happened
  /// before and however late the publisher observes a change.
  private struct World: Hashable {
    enum Event: CaseIterable {
      case full, reduced, denied, lapsed, observes, stores, deletes
    }

    /// A waiting publication.
    struct Content: Hashable {
      let isPrecise: Bool
      /// The withdrawals before the publication was made.
      let earlierWithdrawals: Withdrawals
    }

    var machine = Machine()
    var inForce = PermissionInForce(
      authorization: lapsed, withdrawals: Withdrawals())
    /// Whether there is a change that the publisher has not observed. It observes only the newest
    /// one.
    var hasUnobservedChange = false
    var content: Set<Content> = []

    mutating func handle(_ event: Event) {
      switch event {
      case .full: change(to: full)
      case .reduced: change(to: reduced)
      case .denied: change(to: denied)
      case .lapsed: change(to: lapsed)
      case .observes: observe()
      case .stores: store()
      case .deletes:
        guard machine.isDeleting else { return }
        delete()
      }
    }

    private mutating func change(to authorization: Authorization) {
      var withdrawals = inForce.withdrawals
      withdrawals.count(from: inForce.authorization, to: authorization)
      inForce = PermissionInForce(authorization: authorization, withdrawals: withdrawals)
      hasUnobservedChange = true
    }

    /// Acts as the task that observes permission. A deletion may fail until ``Event/deletes``.
    private mutating func observe() {
      guard hasUnobservedChange, !machine.isDeleting else { return }
      hasUnobservedChange = false
      if inForce.authorization.isAuthorized {
        let isReduced = inForce.authorization.accuracy == .reduced
        let mustDelete = machine.granted(isReduced: isReduced, after: inForce.withdrawals)
        if !mustDelete { machine.confirmed() }
      } else if machine.isRefused(inForce) {
        delete()
      }
    }

    private mutating func delete() {
      _ = machine.beginDeletion()
      content = []
      machine.endDeletion()
      if inForce.authorization.isAuthorized { machine.confirmed() }
    }

    /// Acts as the tasks that store publications, which contain only what the permission covers.
    private mutating func store() {
      guard machine.allows(inForce) else { return }
      machine.recordStoring()
      content.insert(
        Content(isPrecise: !machine.isReduced, earlierWithdrawals: inForce.withdrawals))
    }

    /// The publications that may be sent now although permission does not cover them.
    var violations: [Content] {
      guard machine.allows(inForce) else { return [] }
      return content.filter { content in
        !inForce.withdrawals.cover(isPrecise: content.isPrecise, since: content.earlierWithdrawals)
          || content.isPrecise && inForce.authorization.accuracy == .reduced
      }
    }
  }

  @Test("F58 nothing leaves that permission does not cover, in every sequence of ten events")
  func exploration() {
    var worlds: Set<World> = []
    for stored in [nil, AccuracyAuthorization.reduced, .full] {
      var world = World()
      world.machine.begin(storedAccuracy: stored, handled: Withdrawals())
      if let stored {
        world.content = [
          World.Content(isPrecise: stored == .full, earlierWithdrawals: Withdrawals())
        ]
      }
      worlds.insert(world)
    }
    var problems: [String] = []
    var sendableCount = 0
    for _ in 1...10 {
      var next: Set<World> = []
      for world in worlds {
        for event in World.Event.allCases {
          var world = world
          world.handle(event)
          guard next.insert(world).inserted else { continue }
          sendableCount += world.machine.allows(world.inForce) ? world.content.count : 0
          if problems.count < 5, !world.violations.isEmpty {
            problems.append("\(world.violations) after \(event): \(world.machine)")
          }
        }
      }
      worlds = next
    }
    #expect(problems.isEmpty, "\(problems)")
    // The check is not vacuous: many worlds contain publications that may be sent.
    #expect(sendableCount > 1_000)
  }

  @Test(
    "F58 a grant deletes what it does not cover",
    arguments: [
      // The stored accuracy, whether accuracy was reduced, whether it is now, and whether to
      // delete.
      (AccuracyAuthorization.full, false, false, false), (.full, false, true, true),
      (.reduced, true, true, false), (.reduced, true, false, false), (nil, false, false, false),
      (nil, true, true, false),
    ] as [(AccuracyAuthorization?, Bool, Bool, Bool)])
  func grant(
    stored: AccuracyAuthorization?, wasReduced: Bool, isReduced: Bool, deletes: Bool
  ) {
    var machine = Machine()
    machine.begin(storedAccuracy: nil, handled: Withdrawals())
    if machine.granted(isReduced: wasReduced, after: Withdrawals()) {
      _ = machine.beginDeletion()
      machine.endDeletion()
    }
    machine.confirmed()
    if stored != nil { machine.recordStoring() }
    #expect(machine.storedAccuracy == stored)
    let mustDelete = machine.granted(isReduced: isReduced, after: Withdrawals())
    #expect(mustDelete == deletes)
    #expect(machine.isDeleting == deletes)
  }

  @Test("F58 the first reduced grant deletes what another storage may have left")
  func firstReducedGrant() {
    var machine = Machine()
    machine.begin(storedAccuracy: nil, handled: Withdrawals())
    let mustDelete = machine.granted(isReduced: true, after: Withdrawals())
    #expect(mustDelete)
    let inForce = PermissionInForce(authorization: Self.reduced, withdrawals: Withdrawals())
    #expect(!machine.allows(inForce))
    let generation = machine.beginDeletion()
    #expect(generation == 1)
    machine.endDeletion()
    #expect(!machine.allows(inForce))
    machine.confirmed()
    #expect(machine.allows(inForce))
  }

  @Test("a refusal is one only after a grant, unless the user refused")
  func refusal() {
    var machine = Machine()
    let undetermined = PermissionInForce(authorization: Self.lapsed, withdrawals: Withdrawals())
    let denied = PermissionInForce(authorization: Self.denied, withdrawals: Withdrawals())
    #expect(!machine.isRefused(undetermined))
    #expect(machine.isRefused(denied))
    _ = machine.granted(isReduced: false, after: Withdrawals())
    // Permission for once has lapsed: the publications that it covered may still be sent.
    #expect(!machine.isRefused(undetermined))
    #expect(machine.covers(undetermined))
    var withdrawals = Withdrawals()
    withdrawals.count(from: Self.full, to: Self.lapsed)
    let withdrawn = PermissionInForce(authorization: Self.lapsed, withdrawals: withdrawals)
    #expect(machine.isRefused(withdrawn))
    #expect(!machine.covers(withdrawn))
  }
}
