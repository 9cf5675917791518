import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct PointSelectionTests {
  typealias Action = PointSelection.Action

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let steps: [(RecordedPointKind, Action)]
    var end = PointSelection.Waiting.wait
    let kind: RecordedPointKind
  }

  /// The capacity is two waiting points.
  static let scenarios = [
    Scenario(
      testDescription: "a track alone",
      steps: [
        (.track, Action(.leaveOut, .append)), (.track, Action(.wait, .append)),
        (.track, Action(.wait, .append)),
      ], kind: .track),
    Scenario(
      testDescription: "in the order of GPX 1.1",
      steps: [
        (.waypoint, Action(.leaveOut, .wait)), (.waypoint, Action(.wait, .wait)),
        (.route, Action(.leaveOut, .wait)), (.track, Action(.leaveOut, .append)),
      ], kind: .track),
    Scenario(
      testDescription: "a track first",
      steps: [
        (.track, Action(.leaveOut, .append)), (.route, Action(.wait, .leaveOut)),
        (.waypoint, Action(.wait, .leaveOut)), (.track, Action(.wait, .append)),
      ], kind: .track),
    Scenario(
      testDescription: "a route among waypoints",
      steps: [
        (.waypoint, Action(.leaveOut, .wait)), (.route, Action(.leaveOut, .wait)),
        (.waypoint, Action(.wait, .leaveOut)), (.route, Action(.wait, .wait)),
      ], end: .append, kind: .route),
    Scenario(
      testDescription: "waypoints alone", steps: [(.waypoint, Action(.leaveOut, .wait))],
      end: .append, kind: .waypoint),
    Scenario(
      testDescription: "more of a route than may wait",
      steps: [
        (.route, Action(.leaveOut, .wait)), (.route, Action(.wait, .wait)),
        (.route, Action(.append, .append)), (.route, Action(.wait, .append)),
        (.waypoint, Action(.wait, .leaveOut)),
      ], kind: .route),
    Scenario(
      testDescription: "a track after more than may wait",
      steps: [
        (.waypoint, Action(.leaveOut, .wait)), (.waypoint, Action(.wait, .wait)),
        (.waypoint, Action(.append, .append)), (.track, Action(.wait, .refuse)),
        (.route, Action(.wait, .refuse)),
      ], kind: .waypoint),
  ]

  @Test(arguments: scenarios)
  func oneKindOfPointsIsChosen(_ scenario: Scenario) {
    var selection = PointSelection(capacity: 2)
    #expect(selection.kind == nil)
    for (index, (kind, action)) in scenario.steps.enumerated() {
      #expect(selection.handle(kind) == action, "step \(index)")
    }
    #expect(selection.finish() == scenario.end)
    #expect(selection.kind == scenario.kind)
    #expect(selection.finish() == .wait)
  }

  @Test func nothingIsChosenWithoutPoints() {
    var selection = PointSelection()
    #expect(selection.finish() == .wait)
    #expect(selection.kind == nil)
  }
}
