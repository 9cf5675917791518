import JSONScanning

/// Reads the JSON of one line in a single pass and throws at the first error.
///
/// It is not a document parser: the caller requests the values that it expects. Only
/// `value(depth:)` recurses as deeply as the input is nested, up to ``maximumDepth``.
///
/// The line ends at offset `end`, where the memory holds 10 or 13. No token contains these, so
/// every loop over a token stops there.
struct JSONScanner: JSONByteScanner, ~Escapable {
  /// Why a line is not JSON, or not JSON as gpsd sends it.
  enum Fault: JSONFault, Hashable {
    case empty, notAnObject, syntax, invalidText, tooDeep, trailingBytes, noClass

    static func expected(_: JSONExpectation) -> Self { .syntax }
  }

  /// The maximum number of texts and unusual numbers of a line that are converted to values; no
  /// report has as many. Further values are treated as absent, so that the cost of a line is
  /// proportional to its length.
  private static let maximumConversions = 4096

  /// The line, its terminator and any readable bytes after it.
  let bytes: Span<UInt8>
  /// The offset of the line's terminator.
  let end: Int
  /// The offset of the next byte.
  var position = 0
  /// The number of conversions so far.
  private var conversions = 0
  /// The field that was read last; used to predict the next one.
  var lastField = FieldOrder.start

  /// - Parameter length: The line's length without its terminator; less than the count of `bytes`.
  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>, length: Int) {
    (self.bytes, end) = (bytes, length)
  }

  /// Counts a conversion. Returns false if the line exceeds ``maximumConversions``.
  mutating func mayConvert() -> Bool {
    conversions += 1
    return conversions <= Self.maximumConversions
  }

  /// The next byte; 10 or 13 at the end of the line.
  var byte: UInt8 { @inline(__always) get { bytes[position] } }

  var controlFault: Fault { .invalidText }

  @inline(__always)
  mutating func skipSpace() {
    guard byte <= 32 else { return }
    while position < end, byte == 32 || byte == 9 || byte == 13 { position += 1 }
  }

  /// Skips one byte of punctuation and the whitespace after it.
  @inline(__always)
  mutating func skipPunctuation(_ punctuation: UInt8) throws(Fault) {
    guard byte == punctuation else { throw .syntax }
    position += 1
    skipSpace()
  }

  @inline(__always)
  mutating func skipPlainText() {
    position = JSONCharacters.endOfPlainWords(bytes, from: position)
  }

  mutating func skipScalar() throws(Fault) { _ = try token() }

  /// Checks that only whitespace is left.
  mutating func finish() throws(Fault) {
    skipSpace()
    guard position >= end else { throw .trailingBytes }
  }
}
