import AsyncLocation
import MockBackend
import Testing

@testable import GPSDBackend

/// A run over a fake network in virtual time, and its events with their times.
final class SessionBench {
  let transport = FakeTransport()
  private let batches = Locked([[BackendEvent]]())
  private let session: GPSDSession
  private let counters = Locked(GPSDStatistics())
  private(set) var isOver = false

  init(_ change: (inout GPSDConfiguration) -> Void = { _ in }) throws {
    var configuration = GPSDConfiguration(receiverSelection: .all)
    change(&configuration)
    session = GPSDSession(
      configuration, purpose: .watch, wanted: WantedKinds(.all), transport: transport,
      statistics: counters, generator: SplitMix64(seed: 1),
      emit: { [batches] batch in batches.withLock { $0.append(batch) } })
    session.start { _ in self.isOver = true }
    transport.advance(by: .zero)
    session.channelOpened()
    _ = try receive(FakeGPSD.banner + FakeGPSD.watching)
  }

  var statistics: GPSDStatistics { counters.withLock { $0 } }

  /// The events of a chunk that arrives at once.
  func receive(_ text: String) throws -> [BackendEvent] {
    try #require(transport.channels.last).receive(text)
    return take()
  }

  /// The events within a duration.
  func pass(_ milliseconds: Int) -> [BackendEvent] {
    transport.advance(by: .milliseconds(milliseconds))
    return take()
  }

  func hangUp() -> [BackendEvent] {
    session.channelClosed(nil)
    return take()
  }

  func stop() -> [BackendEvent] {
    session.stop()
    return take()
  }

  private func take() -> [BackendEvent] {
    batches.withLock { batches in
      defer { batches = [] }
      return batches.flatMap { $0 }
    }
  }
}
