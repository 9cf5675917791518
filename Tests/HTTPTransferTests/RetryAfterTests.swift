import Foundation
import HTTPTransfer
import TestSupport
import Testing

@Suite(.inTurn) struct RetryAfterTests {
  private static let now = Date(timeIntervalSince1970: 784_111_777)  // 1994-11-06 08:49:37

  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ("Sat, 29 Feb 2020 23:59:60 GMT", 1_583_020_800),
    ("Sunday, 06-Nov-69 08:49:37 GMT", 3_150_953_377),
  ])
  func httpDatesAreParsed(_ text: String, _ seconds: Int) {
    #expect(RetryAfter.date(text) == Date(timeIntervalSince1970: Double(seconds)))
  }

  @Test(arguments: [
    "", "soon", "Sun, 06 Nov 1994 08:49:37", "Sun, 31 Nov 1994 08:49:37 GMT",
    "Sun, 06 Xyz 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
    "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 0001 08:49:37 GMT",
    "Sun, 06 Nov 99999 08:49:37 GMT", "Sun, 06 Nov 1994 08:-1:37 GMT",
    "Sun, ٠٦ Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 CET", String(repeating: "-", count: 10_000),
  ])
  func invalidDatesAreRejected(_ text: String) { #expect(RetryAfter.date(text) == nil) }

  @Test(
    arguments: [
      ("120", nil, 120), ("0", nil, nil), ("-5", nil, nil), ("1.5", nil, nil), ("", nil, nil),
      ("99999999999999999999999999", nil, 86_400), ("86400", nil, 86_400), ("٣", nil, nil),
      ("Sun, 06 Nov 1994 08:50:37 GMT", nil, 60), ("Sun, 06 Nov 1994 08:49:37 GMT", nil, nil),
      ("Sun, 06 Nov 1994 08:48:37 GMT", nil, nil), ("Sun, 06 Nov 2094 08:48:37 GMT", nil, 86_400),
      // The server's clock is an hour ahead.
      ("Sun, 06 Nov 1994 09:50:37 GMT", "Sun, 06 Nov 1994 09:49:37 GMT", 60),
      ("Sun, 06 Nov 1994 08:50:37 GMT", "yesterday", 60),
    ] as [(String, String?, Int?)])
  func retryAfterIsReadAsADelay(value: String, sent: String?, seconds: Int?) {
    let wait = RetryAfter.wait(value, sent: sent, received: Self.now)
    #expect(wait == seconds.map { .seconds($0) })
  }
}
