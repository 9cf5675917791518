/// A stream cut into chunks.
struct Cuts {
  let chunks: [ArraySlice<UInt8>]

  /// One chunk with the whole stream.
  init(whole stream: [UInt8]) { chunks = [stream[...]] }

  /// One chunk per line, so that no readable byte follows a line.
  init(linesOf stream: [UInt8]) {
    var chunks: [ArraySlice<UInt8>] = []
    var start = 0
    for (index, byte) in stream.enumerated() where byte == 10 {
      chunks.append(stream[start...index])
      start = index + 1
    }
    chunks.append(stream[start...])
    self.chunks = chunks
  }

  /// Two chunks.
  init(_ stream: [UInt8], at place: Int) { chunks = [stream[..<place], stream[place...]] }

  /// Chunks with lengths chosen by a seed.
  init(_ stream: [UInt8], seed: UInt8) {
    var state = UInt32(seed) &* 2_654_435_761 &+ 1
    var chunks: [ArraySlice<UInt8>] = []
    var rest = stream[...]
    while !rest.isEmpty {
      state = state &* 1_664_525 &+ 1_013_904_223
      let length = seed == 0 ? 1 : 1 + Int(state >> 16) % (4 * Int(seed))
      chunks.append(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
    self.chunks = chunks
  }

  /// Calls the closure with each chunk in a separate allocation, so that AddressSanitizer detects a
  /// read beyond its end.
  func withEach(_ body: (Span<UInt8>) -> Void) {
    for chunk in chunks.map(Array.init) { body(chunk.span) }
  }
}
