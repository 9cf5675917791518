import Testing

@testable import GPSDBackend

@Suite struct BackoffTests {
  @Test(arguments: [1, 2, 99] as [UInt64])
  func everyDelayLiesBetweenHalfAndAllOfItsSpan(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var backoff = Backoff(initial: .seconds(1), maximum: .seconds(30))
    let spans = [1, 2, 4, 8, 16, 30, 30, 30].map { Duration.seconds($0) }
    for (index, span) in spans.enumerated() {
      let delay = backoff.failed(using: &generator)
      #expect(delay >= span / 2 && delay <= span, "delay \(index)")
      #expect(backoff.failures == index + 1)
    }
  }

  @Test func successBeginsAnew() {
    var generator = SeededGenerator(seed: 7)
    var backoff = Backoff(initial: .seconds(1), maximum: .seconds(30))
    for _ in 0..<6 { _ = backoff.failed(using: &generator) }
    backoff.succeeded()
    #expect(backoff.failures == 0)
    #expect(backoff.failed(using: &generator) <= .seconds(1))
  }

  @Test func clientsSpreadOut() {
    let delays = (0..<100 as Range<UInt64>).map { seed in
      var generator = SeededGenerator(seed: seed)
      var backoff = Backoff(initial: .seconds(1), maximum: .seconds(30))
      return backoff.failed(using: &generator)
    }
    #expect(Set(delays).count > 90)
  }

  @Test func neverOverflows() {
    var generator = SeededGenerator(seed: 3)
    var backoff = Backoff(initial: .seconds(1_000_000_000), maximum: .seconds(1_000_000_000))
    for _ in 0..<10_000 {
      #expect(backoff.failed(using: &generator) <= .seconds(1_000_000_000))
    }
  }
}
