import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct HeadingFilterTests {
  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let options: HeadingOptions
    let headings: [(Heading, Bool)]
  }

  private static func north(_ degrees: Double, device: String? = nil) -> Heading {
    Sample.heading(true: degrees, device: device)
  }

  static let scenarios = [
    Scenario(
      testDescription: "one degree by default, inclusive",
      options: HeadingOptions(),
      headings: [
        (north(10), true), (north(10.5), false), (north(10.9), false), (north(11), true),
        (north(10), true),
      ]),
    Scenario(
      testDescription: "the change is relative to the last delivered heading",
      options: HeadingOptions(headingFilter: 5),
      headings: [
        (north(100), true), (north(103), false), (north(98), false), (north(104.9), false),
        (north(105), true), (north(101), false),
      ]),
    Scenario(
      testDescription: "the change is the shorter angle, through north",
      options: HeadingOptions(headingFilter: 5),
      headings: [
        (north(358), true), (north(2), false), (north(3), true), (north(359), false),
        (north(357), true), (north(178), true),
      ]),
    Scenario(
      testDescription: "zero passes every heading",
      options: HeadingOptions(headingFilter: 0),
      headings: [(north(10), true), (north(10), true)]),
    Scenario(
      testDescription: "an invalid filter passes every heading",
      options: HeadingOptions(headingFilter: .nan),
      headings: [(north(10), true), (north(10), true)]),
    Scenario(
      testDescription: "magnetic headings are compared if one true heading is missing",
      options: HeadingOptions(headingFilter: 5),
      headings: [
        (Sample.heading(magnetic: 10), true), (Sample.heading(magnetic: 14), false),
        (Sample.heading(true: 90, magnetic: 14), false), (Sample.heading(magnetic: 15), true),
      ]),
    Scenario(
      testDescription: "true headings take precedence",
      options: HeadingOptions(headingFilter: 5),
      headings: [
        (Sample.heading(true: 10, magnetic: 7), true),
        (Sample.heading(true: 11, magnetic: 20), false),
        (Sample.heading(true: 20, magnetic: 7), true),
      ]),
    Scenario(
      testDescription: "headings without a common reference differ",
      options: HeadingOptions(headingFilter: 5),
      headings: [
        (Sample.heading(true: 10), true), (Sample.heading(magnetic: 10), true),
        (Sample.heading(magnetic: 11), false), (Sample.heading(true: 10), true),
      ]),
    Scenario(
      testDescription: "only one receiver's headings pass and count as delivered",
      options: HeadingOptions(headingFilter: 5, device: "a"),
      headings: [
        (north(10, device: "a"), true), (north(90, device: "b"), false), (north(90), false),
        (north(12, device: "a"), false), (north(90, device: "a"), true),
      ]),
  ]

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) {
    var filter = HeadingFilter(scenario.options)
    for (index, (heading, isAdmitted)) in scenario.headings.enumerated() {
      #expect(filter.admits(heading) == isAdmitted, "heading \(index)")
    }
  }
}
