import AsyncLocation
import TestSupport
import Testing

@testable import GPSDBackend

/// Permission is withdrawn after gpsd's stream has ended, while reports with an exact position are
/// unread.
@Suite(.inTurn) struct EndedReportsTests {
  @Test func denialDiscardsReportsOfAnEndedStream() async throws {
    let policy = CancellablePolicy()
    let subscription = await Self.endedSubscription(under: policy)
    policy.deny()
    let lines = subscription.take().map { String(decoding: $0.line, as: UTF8.self) }
    #expect(lines == nil)
  }

  /// After the reader's cancellation, permission is no longer observed: nothing would withdraw the
  /// unread reports later.
  @Test func aCancelledReaderDiscardsTheReportsOfAnEndedStream() async throws {
    let policy = CancellablePolicy()
    let subscription = await Self.endedSubscription(under: policy)
    let reader = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await subscription.waitForMore()
    }
    #expect(try await !reader.value)
    policy.deny()
    let lines = subscription.take().map { String(decoding: $0.line, as: UTF8.self) }
    #expect(lines == nil)
    #expect(subscription.withheld == 1)
  }

  /// Returns a subscription whose source has ended and that holds a report.
  private static func endedSubscription(
    under policy: CancellablePolicy
  ) async -> ReportSubscription {
    let ended = Locked(false)
    let line = Array(#"{"class":"TPV","mode":3,"lat":60.25,"lon":24.5}"#.utf8)
    let subscription = ReportSubscription(
      .newest(8), policy: policy,
      work: { deliver in
        var batch = ReportBatch()
        batch.append(nil)
        batch.appendLine(line.span)
        deliver(batch)
      },
      ended: { ended.withLock { $0 = true } })
    subscription.start()
    while !ended.withLock(\.self) { await Task.yield() }
    return subscription
  }

  /// A policy whose observation reports nothing once it is cancelled.
  private final class CancellablePolicy: AuthorizationPolicy {
    private let observer = Locked<(@Sendable (AuthorizationChange) -> Void)?>(nil)

    func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
      AuthorizationDecision(.always)
    }

    func observe(_ report: @escaping @Sendable (AuthorizationChange) -> Void) async {
      observer.withLock { $0 = report }
      await withTaskCancellationHandler {
        _ = try? await BoundedChannel<Void>(limit: 1).next()
      } onCancel: {
        observer.withLock { $0 = nil }
      }
    }

    func deny() { observer.withLock { $0 }?(.decision(AuthorizationDecision(.denied))) }
  }
}
