import JSONScanning

/// Caches the day of the last time that was read; consecutive reports are usually of the same day.
struct DayCache {
  /// The first eleven bytes of a time on that day, as two words; initially "2001-01-" and "01T".
  private var text: (head: UInt64, tail: UInt64) = (0x2D31_302D_3130_3032, 0x54_3130)
  /// Seconds from 2001-01-01 to the beginning of that day.
  private var start = 0

  /// When the last day of the year 9999 begins. Its last second is not entirely in the range that
  /// ``ReportTime`` reads, so times of that day take the slow path.
  private static var lastDay: Int { 252_423_907_200 }
  /// The length of a time with milliseconds, without the quotes.
  private static var length: UInt64 { 24 }
  private static var timePattern: UInt64 { 0x3030_3A30_303A_3030 }  // 00:00:00
  /// The bytes of `timePattern` that must be equal; the others are digits.
  private static var timeColons: UInt64 { 0x0000_FF00_00FF_0000 }
  private static var endPattern: UInt64 { 0x225A_3030_302E }  // .000Z and the quote.
  /// The bytes of `endPattern` that must be equal; the others are digits.
  private static var endMarks: UInt64 { 0xFFFF_0000_00FF }

  /// Reads a time with milliseconds, as gpsd usually writes it. Returns the result of
  /// ``ReportTime/seconds(_:)``; NaN for any other value. 32 bytes must be readable.
  @inline(__always)
  mutating func plainTime(in bytes: Span<UInt8>, at position: inout Int) -> Double {
    // SAFETY: the caller has checked that 32 bytes are readable.
    guard unsafe bytes[unchecked: position] == UInt8(ascii: "\"") else { return .nan }
    let begin = position &+ 1
    let head = unsafe bytes.word(uncheckedAt: begin)
    let tail = unsafe bytes.word(uncheckedAt: begin &+ 8) & 0xFF_FFFF
    if head != text.head || tail != text.tail {
      guard let start = ReportTime.dayStart(bytes.extracting(begin..<begin + 11)),
        start < Self.lastDay
      else { return .nan }
      (text, self.start) = ((head, tail), start)
    }
    let time = unsafe bytes.word(uncheckedAt: begin &+ 11) ^ Self.timePattern
    let end = unsafe bytes.word(uncheckedAt: begin &+ 19) & 0xFFFF_FFFF_FFFF ^ Self.endPattern
    guard DigitWord.nonDigits(time) | DigitWord.nonDigits(end) == 0,
      time & Self.timeColons == 0, end & Self.endMarks == 0
    else { return .nan }
    let pairs = time &* 10 &+ time &>> 8  // Tens and units combined, in the bytes of the tens.
    let (hour, minute, second) = (pairs & 0xFF, pairs &>> 24 & 0xFF, pairs &>> 48 & 0xFF)
    guard hour < 24, minute < 60, second < 60 else { return .nan }
    let milliseconds = (end &>> 8 & 0xFF) &* 100 &+ (end &>> 16 & 0xFF) &* 10 &+ (end &>> 24 & 0xFF)
    position = begin &+ Int(Self.length) &+ 1
    return Double(start &+ Int(truncatingIfNeeded: hour &* 3600 &+ minute &* 60 &+ second))
      + Double(milliseconds &* 1_000_000) / 1e9
  }
}
