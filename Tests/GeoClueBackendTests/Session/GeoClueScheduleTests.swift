import AsyncLocation
import LocationTransport
import MockBackend
import TestSupport
import Testing

@testable import GeoClueBackend

/// Random orders of answers, refusals, signals, demands and timeouts.
@Suite(.inTurn) struct GeoClueScheduleTests {
  typealias Machine = GeoClueStateMachine

  /// A service in the mind of the test: the calls that it has not answered, and whether the client
  /// may use locations.
  private struct Model {
    var machine: Machine
    var pending: [Machine.Call] = []
    var isOpening = false
    /// The time of the timer; nil if none is armed.
    var timer: Duration?
    /// Whether the last start was answered, and no withdrawal was announced since then.
    var isPermitted = false
    var isEnded = false
    var delivered = 0

    mutating func apply(_ decisions: [Machine.Decision]) {
      for decision in decisions {
        #expect(!isEnded, "\(decision) after the end")
        switch decision {
        case .perform(.open): isOpening = true
        case .perform(.call(let call)): pending.append(call)
        case .perform(.deliver):
          #expect(isPermitted)
          delivered += 1
        case .perform(.count): break
        case .arm(let instant): timer = instant
        case .disarm: timer = nil
        case .close, .fail, .finish, .reconnect: isEnded = true
        case .reportConnected, .reportUnavailable: #expect(isPermitted)
        }
      }
      let reads = pending.count { if case .readLocation = $0 { true } else { false } }
      // One that is in progress, and those whose answers are no longer awaited.
      #expect(reads <= 8)
      #expect(isEnded || timer != nil)
    }

    mutating func reconnect(at now: Duration) {
      (pending, timer, isPermitted, isEnded, isOpening) = ([], nil, false, false, false)
      apply(machine.connect(at: now))
    }

    mutating func handle(_ event: Machine.Event, at now: Duration) {
      apply(machine.handle(event, at: now))
    }
  }

  private static let paths = ["/l/1", "/l/2", "/l/3"]
  private static let garbage: [[BusValue]?] = [
    nil, [], [.uint32(1)], [.string("x"), .string("y")], [.objectPath("/")], [.unsupported],
    [.dictionary([:])], [.variant(.double(.nan))],
  ]

  private static func correct(_ call: Machine.Call) -> [BusValue] {
    switch call {
    case .readManager: [.dictionary([:])]
    case .createClient: [.objectPath("/client")]
    case .readActivity: [.variant(.boolean(true))]
    case .readLocation: [.dictionary(["Latitude": .double(1), "Longitude": .double(2)])]
    case .subscribe, .setProperty, .start, .stop, .delete: []
    }
  }

  private static func signal(
    _ member: String, _ arguments: [BusValue]?, sender: String
  ) -> Machine.Event {
    .signalled(
      BusSignal(
        sender: sender, path: "/client", interface: "i", member: member, arguments: arguments))
  }

  /// One random step.
  private static func step(
    _ model: inout Model, at now: inout Duration, using random: inout SplitMix64
  ) {
    now += .milliseconds(Int.random(in: 0...2_000, using: &random))
    if let timer = model.timer, timer <= now {
      model.timer = nil
      return model.apply(model.machine.timerFired(at: now))
    }
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<55:
      if model.isOpening {
        model.isOpening = false
        return model.handle(.opened, at: now)
      }
      guard !model.pending.isEmpty else { return }
      let call = model.pending.removeFirst()
      if case .start = call { model.isPermitted = true }
      model.handle(
        .answered(call, sender: ":1.5", arguments: Self.correct(call)), at: now)
    case 55..<58:
      guard !model.pending.isEmpty else { return }
      let call = model.pending.removeFirst()
      if case .start = call { model.isPermitted = true }
      model.handle(
        .answered(call, sender: ":1.5", arguments: garbage.randomElement(using: &random)!), at: now)
    case 58..<61:
      guard !model.pending.isEmpty else { return }
      let error = BusError(name: FakeGeoClue.denied, message: "no agent for UID 1")
      model.handle(.refused(model.pending.removeFirst(), error), at: now)
    case 61..<85:
      let path = BusValue.objectPath(paths.randomElement(using: &random)!)
      model.handle(signal("LocationUpdated", [path, path], sender: ":1.5"), at: now)
    case 85..<88:
      model.isPermitted = false
      let values = BusValue.dictionary(["Active": .boolean(false)])
      model.handle(signal("PropertiesChanged", [.string("c"), values], sender: ":1.5"), at: now)
    case 88..<91:
      let member = ["LocationUpdated", "PropertiesChanged", "NameOwnerChanged", "x"]
        .randomElement(using: &random)!
      model.handle(
        signal(member, garbage.randomElement(using: &random)!, sender: ":1.9"), at: now)
    case 91..<97:
      let level = AccuracyLevel.allCases.randomElement(using: &random)!
      let threshold = UInt32.random(in: 0...2, using: &random)
      model.handle(.demanded(GeoClueDemand(level: level, timeThreshold: threshold)), at: now)
    case 97:
      let owners: [BusValue] = [.string("n"), .string(":1.5"), .string("")]
      model.handle(signal("NameOwnerChanged", owners, sender: "org.freedesktop.DBus"), at: now)
    default:
      model.handle(.broke(.serviceEnded(Machine.Configuration())), at: now)
    }
  }

  @Test(.longWork) func nothingIsDeliveredWithoutPermissionAndNothingHangs() {
    var delivered = 0
    for seed in 0..<100 {
      var random = SplitMix64(seed: UInt64(seed))
      var now = Duration.zero
      var model = Model(machine: Machine(Machine.Configuration()))
      model.reconnect(at: now)
      for _ in 0..<500 {
        Self.step(&model, at: &now, using: &random)
        if model.isEnded { model.reconnect(at: now) }
      }
      delivered += model.delivered
    }
    #expect(delivered > 1_000)
  }
}
