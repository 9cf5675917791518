import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct MarkupTests {
  @Test("F59 interpolated text is never markup")
  func escapes() {
    let name = "</script><b a=\"1\" c='2'>&\u{1B}[31m\u{202E}\n"
    let markup: Markup = "<t a=\"\(name)\">\(name)</t>"
    let text =
      "&lt;/script&gt;&lt;b a=&quot;1&quot; c=&apos;2&apos;&gt;&amp;\u{FFFD}[31m&#8238;&#10;"
    #expect(markup.text == "<t a=\"\(text)\">\(text)</t>")
  }

  @Test func markupIsKept() {
    let part: Markup = "<b/>"
    let whole: Markup = "<a>\(part)\([part, part])\(3)\(2.04)\(-0.01)</a>"
    #expect(whole.text == "<a><b/><b/><b/>320</a>")
  }

  @Test(
    arguments: [
      ([(0.0, 0.0), (1, 0), (1, 1)], "M0 0l1 0 0 1"),
      ([(10.04, -0.5), (10.06, 0.4), (9.94, 0.4)], "M10-.5l.1 .9-.2 0"),
      ([(3, 3)], "M3 3h0"), ([(3, 3), (3.01, 3)], "M3 3h0"), ([], ""),
      ([(1e9, 0), (0, 0)], "M1000000 0l-1000000 0"),
    ] as [([(Double, Double)], String)])
  func pathsAreShort(_ points: [(Double, Double)], _ text: String) {
    var data = PathData()
    data.append(line: points.map { PlanePoint($0.0, $0.1) })
    #expect(data.text == text)
  }

  @Test func ringsAreClosed() {
    var data = PathData()
    data.append(ring: [PlanePoint(0, 0), PlanePoint(1, 0), PlanePoint(0, 1)])
    #expect(data.text == "M0 0l1 0-1 1z")
  }

  @Test(
    arguments: [
      (1.25, 1, "1.3"), (-0.04, 1, "0.0"), (0.05, 2, "0.05"), (12, 0, "12"), (.nan, 1, "0"),
      (1e300, 1, "0"), (999.96, 1, "1000.0"),
    ] as [(Double, Int, String)])
  func numbersHaveFixedPlaces(number: Double, places: Int, text: String) {
    #expect(FixedText.decimal(number, places) == text)
  }

  @Test(
    arguments: [
      (48.5, true, 1, "48.5° N"), (-0.5, true, 1, "0.5° S"), (0, true, 0, "0°"),
      (-179.5, false, 1, "179.5° W"), (180, false, 1, "180.0°"), (-180, false, 0, "180°"),
      (0.04, false, 1, "0.0°"),
    ] as [(Double, Bool, Int, String)])
  func anglesHaveTheirHemisphere(
    degrees: Double, isLatitude: Bool, places: Int, text: String
  ) {
    #expect(AngleText.label(degrees, isLatitude: isLatitude, places) == text)
  }
}
