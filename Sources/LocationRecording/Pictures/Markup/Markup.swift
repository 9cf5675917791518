/// SVG or HTML. Interpolated text is escaped, markup is not, so that a name can only be text.
///
/// Numbers are rounded to tenths of a pixel.
struct Markup: Hashable, Sendable, ExpressibleByStringInterpolation {
  private(set) var text: String

  init(stringLiteral text: String) { self.text = text }

  /// Creates markup from text of this package, which is not escaped: a style sheet, a script, or
  /// data in JSON.
  init(written text: String) { self.text = text }

  init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  struct StringInterpolation: StringInterpolationProtocol {
    var text = ""

    init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    mutating func appendLiteral(_ literal: String) { text += literal }
    mutating func appendInterpolation(_ text: String) { self.text += EscapedText(xml: text).text }
    mutating func appendInterpolation(_ markup: Markup) { text += markup.text }
    mutating func appendInterpolation(_ parts: [Markup]) { for part in parts { text += part.text } }
    mutating func appendInterpolation(_ number: Int) { text += String(number) }
    mutating func appendInterpolation(_ number: Double) { text += FixedText.shortest(number, 1) }
  }

  static func += (markup: inout Markup, more: Markup) { markup.text += more.text }

  static func + (left: Markup, right: Markup) -> Markup {
    var sum = left
    sum += right
    return sum
  }

  static let empty: Markup = ""
}
