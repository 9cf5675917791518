/// What libFuzzer calls: any bytes, as gpsd might send them, in any chunks.
///
/// The first byte chooses the chunks and the second the longest line; the rest is the stream.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReports(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let input = UnsafeBufferPointer(start: data, count: count)
  guard input.count > 2 else { return 0 }
  let caps = [65_536, 512, 128, 16]
  let subject = Subject(
    stream: Array(input[2...]), cap: caps[Int(input[1]) % caps.count], seed: input[0])
  subject.checkFraming()
  subject.checkReading()
  return 0
}

/// Ends the program with a report, which libFuzzer keeps the input of.
@inline(__always)
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  if !condition { fatalError(message()) }
}
