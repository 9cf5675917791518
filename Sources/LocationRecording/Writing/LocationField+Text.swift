extension LocationField.Value {
  /// The value as JSON.
  var json: EscapedText {
    switch self {
    case .number(let number): EscapedText(written: NumberText.shortest(number))
    case .integer(let number): EscapedText(written: String(number))
    case .word(let word): EscapedText(json: word)
    case .text(let text): EscapedText(json: text)
    }
  }

  /// The value as a field of CSV.
  var csv: EscapedText {
    switch self {
    case .number(let number): EscapedText(written: NumberText.shortest(number))
    case .integer(let number): EscapedText(written: String(number))
    case .word(let word): EscapedText(written: word)
    case .text(let text): EscapedText(csv: text)
    }
  }

  /// The value as the text of an element; nil for a number that GPX cannot hold.
  var xml: EscapedText? {
    switch self {
    case .number(let number): NumberText.decimal(number).map(EscapedText.init(written:))
    case .integer(let number): EscapedText(written: String(number))
    case .word(let word): EscapedText(written: word)
    case .text(let text): EscapedText(xml: text)
    }
  }
}
