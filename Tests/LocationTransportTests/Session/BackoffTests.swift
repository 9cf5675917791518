import AsyncLocation
import MockBackend
import TestSupport
import Testing

@testable import LocationTransport

@Suite(.inTurn) struct BackoffTests {
  @Test(arguments: [1, 2, 99] as [UInt64])
  func delaysAreWithinTheDefaultJitter(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var backoff = Backoff(initial: .seconds(1), maximum: .seconds(30))
    let maximumDelays = [1, 2, 4, 8, 16, 30, 30, 30].map { Duration.seconds($0) }
    for (index, longest) in maximumDelays.enumerated() {
      let delay = backoff.failed(using: &generator)
      #expect(delay >= longest / 2, "delay \(index)")
      #expect(delay <= longest, "delay \(index)")
      #expect(backoff.failures == index + 1)
    }
  }

  @Test("jitter is configurable", arguments: [0, 0.25, 1] as [Double])
  func delaysVaryByJitter(jitter: Double) {
    var generator = SplitMix64(seed: 5)
    var backoff = Backoff(.exponential(initial: .seconds(8), maximum: .seconds(8), jitter: jitter))
    var delays: Set<Duration> = []
    for _ in 0..<200 { delays.insert(backoff.failed(using: &generator)) }
    let (shortest, longest) = (delays.min() ?? .zero, delays.max() ?? .zero)
    #expect(shortest >= .seconds(8) * (1 - jitter))
    #expect(longest <= .seconds(8))
    #expect(longest - shortest >= .seconds(8) * jitter * 0.9)
  }

  @Test func attemptsAreLimited() {
    var generator = SplitMix64(seed: 5)
    var backoff = Backoff(.exponential(attempts: 3))
    let isLast = (0..<3).map { _ in
      defer { _ = backoff.failed(using: &generator) }
      return backoff.isExhausted
    }
    #expect(isLast == [false, false, true])
    backoff.succeeded()
    #expect(!backoff.isExhausted)
    #expect(Backoff(.never).isExhausted)
    #expect(!Backoff(.exponential()).isExhausted)
  }

  @Test func successResetsTheDelay() {
    var generator = SplitMix64(seed: 7)
    var backoff = Backoff(initial: .seconds(1), maximum: .seconds(30))
    for _ in 0..<6 { _ = backoff.failed(using: &generator) }
    backoff.succeeded()
    #expect(backoff.failures == 0)
    #expect(backoff.failed(using: &generator) <= .seconds(1))
  }

  /// A server that accepts and drops each connection is tried less and less often.
  @Test func shortConnectionsDoNotResetTheDelay() {
    var generator = SplitMix64(seed: 7)
    var backoff = Backoff(
      .exponential(initial: .seconds(1), maximum: .seconds(8), jitter: 0, attempts: 3))
    func delay(afterConnectionLasting duration: Duration) -> Duration {
      backoff.succeeded(for: duration)
      // Each connection allows all attempts again.
      #expect(!backoff.isExhausted)
      return backoff.failed(using: &generator)
    }
    let durations: [Duration] = [0.005, 0.005, 2, 0, 7, 9, 0.005].map { .seconds($0) }
    #expect(
      durations.map(delay(afterConnectionLasting:)) == [1, 2, 4, 8, 8, 1, 2].map { .seconds($0) })
  }

  @Test func delaysDifferBetweenClients() {
    let delays = (0..<100 as Range<UInt64>).map { seed in
      var generator = SplitMix64(seed: seed)
      var backoff = Backoff(initial: .seconds(1), maximum: .seconds(30))
      return backoff.failed(using: &generator)
    }
    #expect(Set(delays).count > 90)
  }

  @Test func delaysDoNotOverflow() {
    var generator = SplitMix64(seed: 3)
    var backoff = Backoff(initial: .seconds(1_000_000_000), maximum: .seconds(1_000_000_000))
    for _ in 0..<10_000 {
      #expect(backoff.failed(using: &generator) <= .seconds(1_000_000_000))
    }
  }
}
