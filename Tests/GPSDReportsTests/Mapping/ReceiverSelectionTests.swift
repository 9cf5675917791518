import AsyncLocation
import MockBackend
import TestSupport
import Testing

@testable import GPSDReports

@Suite(.inTurn) struct ReceiverSelectionTests {
  /// The time in seconds, a receiver's event, the receiver chosen after it, and the reported loss.
  struct Step: Sendable {
    let second: Double
    let receiver: Int
    let event: ReceiverSelection.Event
    let chosen: Int?
    var loss: ReceiverSelection.Loss?

    init(
      _ second: Double, _ receiver: Int, _ event: ReceiverSelection.Event, _ chosen: Int?,
      _ loss: ReceiverSelection.Loss? = nil
    ) {
      (self.second, self.receiver, self.event) = (second, receiver, event)
      (self.chosen, self.loss) = (chosen, loss)
    }
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let steps: [Step]
  }

  static func fix(
    _ accuracy: Double? = 5, mode: GNSSFix.Mode = .threeDimensional, status: GNSSFix.Status? = nil
  ) -> ReceiverSelection.Event {
    .located(FixQuality(mode: mode, status: status, accuracy: accuracy))
  }

  static func id(_ number: Int) -> ReceiverSelection.ID { .init(rawValue: number) }

  static let scenarios = [
    Scenario(
      testDescription: "the first receiver is preferred until one has a fix",
      steps: [
        Step(0, 1, .reported, 1), Step(0.1, 2, .reported, 1), Step(0.2, 2, fix(), 2),
        Step(0.3, 1, .lost, 2),
      ]),
    Scenario(
      testDescription: "a lost fix changes the receiver, its return does not",
      steps: [
        Step(0, 1, fix(), 1), Step(0.1, 2, fix(), 1), Step(1, 1, .lost, 2), Step(1.1, 2, fix(), 2),
        Step(2, 1, fix(), 2), Step(9, 1, fix(), 1),  // The other receiver is silent.
      ]),
    Scenario(
      testDescription: "a loss without a replacement is reported once",
      steps: [
        Step(0, 1, fix(), 1), Step(0.5, 2, .lost, 1), Step(1, 1, .lost, 1, .noFix(id(1))),
        Step(2, 1, .lost, 1), Step(2.5, 2, .lost, 1), Step(3, 1, fix(), 1),
        Step(4, 1, .lost, 1, .noFix(id(1))),
      ]),
    Scenario(
      testDescription: "F6 a silent receiver is detected by the others' reports",
      steps: [
        Step(0, 1, fix(), 1), Step(0, 2, .lost, 1), Step(5, 2, .lost, 1),
        Step(5.1, 2, .lost, 1, .silent(id(1), .seconds(5.1))), Step(6, 2, .lost, 1),
        Step(7, 2, fix(), 2),
      ]),
    Scenario(
      testDescription: "F6 a silent receiver is replaced by an active one",
      steps: [
        Step(0, 1, fix(1, status: .rtkFixed), 1), Step(0.1, 2, fix(), 1), Step(4.9, 2, fix(), 1),
        Step(5.1, 2, fix(), 2), Step(5.2, 1, fix(1, status: .rtkFixed), 2),
        Step(10.1, 1, fix(1, status: .rtkFixed), 2), Step(10.3, 1, fix(1, status: .rtkFixed), 1),
      ]),
    Scenario(
      testDescription: "a receiver that sends SKY without fixes is detected",
      steps: [Step(0, 1, fix(), 1), Step(6, 1, .reported, 1, .silent(id(1), .seconds(6)))]),
    Scenario(
      testDescription: "a slow report rate is not silence",
      steps: [
        Step(0, 1, fix(), 1), Step(10, 1, fix(), 1), Step(10.1, 1, fix(), 1),
        Step(19, 2, fix(), 1), Step(20, 1, fix(), 1), Step(29, 2, fix(), 1),
        Step(60, 2, fix(), 2),
      ]),
    Scenario(
      testDescription: "F6 an unplugged receiver is replaced by one with a fix",
      steps: [
        Step(0, 1, fix(), 1), Step(0, 2, .reported, 1), Step(0, 3, fix(), 1),
        Step(1, 1, .removed, 3), Step(1, 1, .removed, 3),
        Step(2, 3, .removed, 2, .removed(id(3))), Step(3, 2, .removed, nil), Step(4, 2, fix(), 2),
      ]),
    Scenario(
      testDescription: "a receiver that stays better for long enough takes over",
      steps: [
        Step(0, 1, fix(), 1), Step(0, 2, fix(status: .rtkFloat), 1), Step(3, 1, fix(), 1),
        Step(4, 2, fix(), 1), Step(4.5, 1, fix(), 1), Step(5, 2, fix(status: .rtkFloat), 1),
        Step(8, 1, fix(), 1), Step(9.9, 2, fix(status: .rtkFloat), 1),
        Step(10, 2, fix(status: .rtkFloat), 2), Step(10.5, 1, fix(), 2),
      ]),
    Scenario(
      testDescription: "3D counts more than the fix quality, accuracy least",
      steps: [
        Step(0, 1, fix(1, mode: .twoDimensional, status: .differential), 1),
        Step(0, 2, fix(100), 1), Step(4, 1, fix(1, mode: .twoDimensional), 1),
        Step(5, 2, fix(100), 2), Step(5, 3, fix(90), 2), Step(9, 2, fix(100), 2),
        Step(10, 3, fix(90), 2), Step(10, 4, fix(49), 2), Step(14, 2, fix(100), 2),
        Step(15, 4, fix(49), 4),
      ]),
    Scenario(
      testDescription: "an unknown accuracy does not count as bad",
      steps: [
        Step(0, 1, fix(nil), 1), Step(0, 2, fix(1), 1), Step(5, 1, fix(nil), 1),
        Step(6, 2, fix(1), 1), Step(7, 1, .lost, 2),
      ]),
    Scenario(
      testDescription: "the best of several receivers follows",
      steps: [
        Step(0, 1, fix(), 1), Step(0, 2, fix(9), 1), Step(0, 3, fix(4), 1),
        Step(0, 4, fix(status: .deadReckoning), 1), Step(1, 1, .lost, 3), Step(1, 3, .lost, 2),
        Step(1, 2, .lost, 4), Step(1, 4, .lost, 4, .noFix(id(4))),
      ]),
  ]

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) {
    var machine = ReceiverSelection()
    for (index, step) in scenario.steps.enumerated() {
      let loss = machine.handle(
        step.event, of: Self.id(step.receiver), at: .seconds(step.second))
      #expect(machine.chosen == step.chosen.map(Self.id), "step \(index)")
      #expect(loss == step.loss, "step \(index)")
    }
  }

  @Test("two equally good receivers never alternate", .longWork, arguments: 0..<20)
  func equals(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var machine = ReceiverSelection()
    var first: ReceiverSelection.ID?
    for second in 0..<10_000 {
      for receiver in [1, 2].shuffled(using: &generator) {
        // Accuracies that differ by less than a factor of two, and corrections for at most three
        // seconds.
        let hasCorrection = second % 4 != 0 && Bool.random(using: &generator)
        let instant = Double(second) + Double.random(in: 0...0.5, using: &generator)
        _ = machine.handle(
          Self.fix(
            .random(in: 4...7, using: &generator), status: hasCorrection ? .differential : nil),
          of: Self.id(receiver), at: .seconds(instant))
      }
      first = first ?? machine.chosen
    }
    #expect(first != nil)
    #expect(machine.chosen == first)
  }

  @Test("a receiver with a fix is preferred whenever there is one", .longWork, arguments: 0..<20)
  func invariants(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var machine = ReceiverSelection()
    var now = Duration.zero
    var lastFixes: [Int: Duration] = [:]
    var changes: [Duration] = []
    for _ in 0..<5000 {
      now += .milliseconds(Int.random(in: 0...900, using: &generator))
      let receiver = Int.random(in: 1...4, using: &generator)
      let before = machine.chosen
      switch Int.random(in: 0..<20, using: &generator) {
      case 0:
        _ = machine.handle(.removed, of: Self.id(receiver), at: now)
        lastFixes[receiver] = nil
      case 1, 2:
        _ = machine.handle(.lost, of: Self.id(receiver), at: now)
        lastFixes[receiver] = nil
      case 3: _ = machine.handle(.reported, of: Self.id(receiver), at: now)
      default:
        let accuracy = Double.random(in: 1...100, using: &generator)
        _ = machine.handle(Self.fix(accuracy), of: Self.id(receiver), at: now)
        lastFixes[receiver] = now
      }
      if machine.chosen != before { changes.append(now) }
      let freshFixes = lastFixes.filter { now - $0.value <= .seconds(5) }
      if !freshFixes.isEmpty {
        #expect(machine.chosen.map { lastFixes[$0.rawValue] != nil } == true)
      }
    }
    #expect(!changes.isEmpty)
  }
}
