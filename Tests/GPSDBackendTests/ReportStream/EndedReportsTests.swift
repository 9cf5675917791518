import AsyncLocation
import MockBackend
import TestSupport
import Testing

@testable import GPSDBackend

/// Exact reports that wait when gpsd's stream has ended, and permission goes then.
@Suite(.inTurn) struct EndedReportsTests {
  @Test func aDenialWithdrawsWhatAnEndedStreamHolds() async throws {
    let backend = MockBackend(authorization: .answering(AuthorizationDecision(.always)))
    let ended = Locked(false)
    let line = Array(#"{"class":"TPV","mode":3,"lat":60.25,"lon":24.5}"#.utf8)
    let subscription = ReportSubscription(
      .newest(8), policy: backend.authorizationPolicy,
      work: { deliver in
        var batch = ReportBatch()
        batch.append(nil)
        batch.appendLine(line.span)
        deliver(batch)
      },
      ended: { ended.withLock { $0 = true } })
    subscription.start()
    while !ended.withLock(\.self) { await Task.yield() }
    backend.setAuthorization(.denied)
    while subscription.withheld == 0 { await Task.yield() }
    let told = subscription.take().map { String(decoding: $0.line, as: UTF8.self) }
    #expect(told == nil)
  }
}
