import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct NumberTests {
  static let packed: [Double?] = [
    nil, 0, 1, -1, .pi, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude,
    .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
  ]

  @Test func packingKeepsTheValue() {
    for value in Self.packed {
      #expect(PackedOptional(value).value == value)
      for other in Self.packed {
        #expect((PackedOptional(value) == PackedOptional(other)) == (value == other))
      }
    }
    #expect(MemoryLayout<PackedOptional>.size == 8)
    #expect(MemoryLayout<PackedOptional>.stride == 8)
  }

  @Test func negativeZeroIsPackedAsZero() {
    #expect(PackedOptional(-0.0) == PackedOptional(0))
    #expect(PackedOptional(-0.0).hashValue == PackedOptional(0).hashValue)
    #expect(PackedOptional(-0.0).value?.sign == .plus)
  }

  static let durations: [(Duration, Double)] = [
    (.zero, 0), (.seconds(1), 1), (.milliseconds(200), 0.2), (.nanoseconds(1), 1e-9),
    (.milliseconds(-1500), -1.5), (.seconds(3600), 3600), (.seconds(86_404), 86_404),
    (.nanoseconds(86_404_123_456_789), 86404.123456789),
    (.nanoseconds(-4_000_000_100_000_007), -4000000.100000007),
  ]

  @Test(arguments: durations)
  func durationsConvertToAndFromSeconds(_ duration: Duration, _ seconds: Double) {
    #expect(ExactSeconds.number(duration) == seconds)
    #expect(ExactSeconds.duration(seconds) == duration)
    #expect(ExactSeconds.exact(duration) == duration)
  }

  @Test(.longWork) func durationsRoundTrip() throws {
    var random = SplitMix64(seed: 8)
    for _ in 0..<20_000 {
      let exponent = Int.random(in: 0..<41, using: &random)
      let duration =
        Duration.seconds(Int.random(in: 0...(1 << exponent), using: &random))
        + .nanoseconds(Int.random(in: 0..<1_000_000_000, using: &random))
      let exact = ExactSeconds.exact(duration)
      #expect(ExactSeconds.duration(ExactSeconds.number(exact)) == exact, "\(duration)")
      // Whole nanoseconds below 2²² s are exact.
      if exponent < 22 { #expect(exact == duration) }
    }
  }

  @Test func durationsAreBoundedAndRoundedToNanoseconds() {
    for seconds in [Double.nan, .infinity, -.infinity, 1e300, 0x1p41] {
      #expect(ExactSeconds.duration(seconds) == nil)
    }
    let limit = Duration.seconds(1 << 40)
    #expect(ExactSeconds.exact(.seconds(Int64.max) * 10) == limit)
    #expect(ExactSeconds.exact(.seconds(Int64.min) * 10) == .zero - limit)
    #expect(ExactSeconds.exact(Duration(secondsComponent: 0, attosecondsComponent: 1)) == .zero)
  }
}
