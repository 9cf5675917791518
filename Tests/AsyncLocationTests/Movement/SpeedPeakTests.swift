import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct SpeedPeakTests {
  enum Step: Sendable {
    case segment
    case reported(Double)
    case derived(Double)
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let steps: [Step]
    let peak: Double?
  }

  static let rows = [
    Row(testDescription: "nothing", steps: [.segment], peak: nil),
    Row(testDescription: "one speed", steps: [.segment, .reported(7)], peak: 7),
    Row(testDescription: "one step", steps: [.segment, .derived(7)], peak: 7),
    Row(testDescription: "two steps", steps: [.segment, .derived(7), .derived(6)], peak: 6),
    Row(
      testDescription: "a report that the next one confirms",
      steps: [.segment, .reported(3), .reported(9), .reported(8), .reported(2)], peak: 8),
    Row(
      testDescription: "a single spike of a receiver",
      steps: [.segment, .reported(3), .reported(90), .reported(4), .reported(5)], peak: 4),
    Row(
      testDescription: "a spike at the end",
      steps: [.segment, .reported(3), .reported(4), .reported(90)], peak: 4),
    Row(
      testDescription: "a wrong position makes two fast steps",
      steps: [.segment, .derived(3), .derived(90), .derived(91), .derived(4), .derived(3)],
      peak: 4),
    Row(
      testDescription: "three fast steps are fast",
      steps: [.segment, .derived(3), .derived(30), .derived(31), .derived(29), .derived(3)],
      peak: 29),
    Row(
      testDescription: "a step confirms no report",
      steps: [.segment, .reported(3), .reported(3), .derived(90), .reported(80), .derived(70)],
      peak: 3),
    Row(
      testDescription: "segments do not confirm each other's speeds",
      steps: [
        .segment, .reported(3), .reported(3), .reported(50), .segment, .reported(50), .reported(4),
      ], peak: 4),
    Row(
      testDescription: "a report confirms the report before the steps in between",
      steps: [
        .segment, .reported(20), .derived(20), .reported(21), .derived(20), .reported(0),
        .derived(0),
      ], peak: 20),
    Row(
      testDescription: "steps that reports interrupt are not confirmed",
      steps: [.segment, .derived(9), .derived(8), .reported(1)], peak: 8),
    Row(
      testDescription: "a lone point of a segment confirms nothing",
      steps: [.segment, .reported(5), .reported(5), .segment, .reported(20)], peak: 5),
    Row(
      testDescription: "an unconfirmed speed, if none is confirmed",
      steps: [.segment, .reported(5), .segment, .reported(7), .segment], peak: 7),
    Row(
      testDescription: "a short segment does not hide the others",
      steps: [.segment, .reported(5), .reported(5), .segment, .reported(2)], peak: 5),
  ]

  @Test(arguments: rows) func thePeakIsTheHighestConfirmedSpeed(_ row: Row) {
    var peak = SpeedPeak()
    for step in row.steps {
      switch step {
      case .segment: peak.beginSegment()
      case .reported(let speed): peak.add(reported: speed)
      case .derived(let speed): peak.add(derived: speed)
      }
    }
    #expect(peak.value == row.peak)
  }
}
