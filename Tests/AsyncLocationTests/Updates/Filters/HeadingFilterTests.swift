import Testing

@testable import AsyncLocation

@Suite struct HeadingFilterTests {
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
      testDescription: "a degree by default, as much as that included",
      options: HeadingOptions(),
      headings: [
        (north(10), true), (north(10.5), false), (north(10.9), false), (north(11), true),
        (north(10), true),
      ]),
    Scenario(
      testDescription: "change counts from the heading delivered last",
      options: HeadingOptions(headingFilter: 5),
      headings: [
        (north(100), true), (north(103), false), (north(98), false), (north(104.9), false),
        (north(105), true), (north(101), false),
      ]),
    Scenario(
      testDescription: "the shorter way round, through north",
      options: HeadingOptions(headingFilter: 5),
      headings: [
        (north(358), true), (north(2), false), (north(3), true), (north(359), false),
        (north(357), true), (north(178), true),
      ]),
    Scenario(
      testDescription: "zero lets every heading through",
      options: HeadingOptions(headingFilter: 0),
      headings: [(north(10), true), (north(10), true)]),
    Scenario(
      testDescription: "a number that means nothing filters nothing",
      options: HeadingOptions(headingFilter: .nan),
      headings: [(north(10), true), (north(10), true)]),
    Scenario(
      testDescription: "magnetic directions are compared where true ones are not known",
      options: HeadingOptions(headingFilter: 5),
      headings: [
        (Sample.heading(magnetic: 10), true), (Sample.heading(magnetic: 14), false),
        (Sample.heading(true: 90, magnetic: 14), false), (Sample.heading(magnetic: 15), true),
      ]),
    Scenario(
      testDescription: "true directions count where both are known",
      options: HeadingOptions(headingFilter: 5),
      headings: [
        (Sample.heading(true: 10, magnetic: 7), true),
        (Sample.heading(true: 11, magnetic: 20), false),
        (Sample.heading(true: 20, magnetic: 7), true),
      ]),
    Scenario(
      testDescription: "headings with no direction in common differ",
      options: HeadingOptions(headingFilter: 5),
      headings: [
        (Sample.heading(true: 10), true), (Sample.heading(magnetic: 10), true),
        (Sample.heading(magnetic: 11), false), (Sample.heading(true: 10), true),
      ]),
    Scenario(
      testDescription: "one receiver's headings alone, and only they count as delivered",
      options: HeadingOptions(headingFilter: 5, device: "a"),
      headings: [
        (north(10, device: "a"), true), (north(90, device: "b"), false), (north(90), false),
        (north(12, device: "a"), false), (north(90, device: "a"), true),
      ]),
  ]

  @Test(arguments: scenarios)
  func follows(_ scenario: Scenario) {
    var filter = HeadingFilter(scenario.options)
    for (index, (heading, isAdmitted)) in scenario.headings.enumerated() {
      #expect(filter.admits(heading) == isAdmitted, "heading \(index)")
    }
  }
}
