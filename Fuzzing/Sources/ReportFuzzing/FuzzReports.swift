/// The entry point of libFuzzer: reads arbitrary bytes in arbitrary chunks as data from gpsd.
///
/// The first byte selects the chunks and the second the maximum line length; the rest is the
/// stream.
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

/// Ends the program with a message if a condition is false; libFuzzer then stores the input.
@inline(__always)
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  if !condition { fatalError(message()) }
}
