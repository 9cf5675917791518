import AsyncLocation
import JSONScanning

/// Handles decoded lines, in order.
///
/// Frequent reports are passed as borrowed values from the decoder's storage, without copies. The
/// next report of their class overwrites them.
package protocol ReportHandler {
  mutating func handle(_ report: borrowing TPV)
  mutating func handle(_ report: borrowing SKY)
  mutating func handle(_ report: borrowing ATT)
  /// Handles an IMU report, which has the fields of ATT.
  mutating func handle(inertial report: borrowing ATT)
  /// Handles a report of any other class.
  mutating func handle(_ report: borrowing GPSDReport)
  mutating func handle(_ line: ReportReader.MalformedLine)
}

/// Handles every report as a value.
package protocol ReportValueHandler: ReportHandler {}

extension ReportValueHandler {
  package mutating func handle(_ report: borrowing TPV) { handle(.tpv(copy report)) }
  package mutating func handle(_ report: borrowing SKY) { handle(.sky(copy report)) }
  package mutating func handle(_ report: borrowing ATT) { handle(.att(copy report)) }
  package mutating func handle(inertial report: borrowing ATT) { handle(.imu(copy report)) }
}

/// Handles complete reports and their lines.
package protocol LineHandler: ReportHandler {
  /// Called after each report and each malformed line with the bytes without the terminator. Empty
  /// for a line that is too long.
  mutating func finish(_ line: Span<UInt8>)
}

/// Decodes the bytes that gpsd sends into reports, in order.
///
/// Pure and synchronous; driven by the owner of the socket. It buffers at most one line and
/// allocates no heap memory for frequent reports, except for a SKY's satellites.
package struct ReportReader {
  /// The result of decoding a line.
  package enum Item: Sendable, Equatable {
    case report(GPSDReport)
    case malformed(MalformedLine)
  }

  /// A line that was dropped.
  package struct MalformedLine: Sendable, Hashable {
    package enum Reason: Sendable, Hashable {
      /// The line contains only whitespace.
      case empty
      /// The line is not a JSON object: the server may not be gpsd, or raw data was requested.
      case notAnObject
      /// The object is not valid JSON; this includes invalid UTF-8 and control characters.
      case invalid
      /// The brackets are nested more deeply than in any report.
      case tooDeep
      /// The object does not state its class.
      case noClass
      /// The line is longer than the reader's cap; reported before the line ends.
      case tooLong
    }

    package let reason: Reason
    /// The beginning of the line, escaped for printing.
    package let excerpt: String
  }

  /// Counts since the reader was created.
  package struct Statistics: Sendable, Hashable {
    package var bytes = 0
    /// Complete or abandoned lines: reports, malformed lines and overlong lines together.
    package var lines = 0
    package var reports = 0
    package var malformed = 0
    package var overlong = 0
  }

  /// The default maximum line length in bytes.
  package static let defaultCap = 1 << 20
  private static let excerptLength = 48

  /// The counts since the reader was created.
  package private(set) var statistics = Statistics()
  private var framer: LineFramer

  /// Creates a reader of lines of at most `maximumLineLength` bytes.
  package init(maximumLineLength: Int = Self.defaultCap) {
    framer = LineFramer(cap: maximumLineLength)
  }

  /// Discards an incomplete line before the next connection.
  package mutating func reset() { framer.reset() }

  /// Reads a chunk of any length and passes its complete lines to the handler in order, decoded as
  /// far as a run of the backend needs them.
  package mutating func read(
    _ bytes: Span<UInt8>, with decoder: inout ReportDecoder,
    into handler: inout some ReportHandler
  ) {
    readLines(bytes) { reader, memory, length in
      do throws(JSONScanner.Fault) {
        let found = try decoder.read(memory, length: length)
        reader.statistics.reports += 1
        decoder.lend(found, to: &handler)
      } catch {
        handler.handle(reader.countMalformed(error, memory.extracting(first: length)))
      }
    } handleOverlong: {
      handler.handle($0)
    }
  }

  /// Reads a chunk as ``read(_:with:into:)`` does, with a new decoder, and passes each item as a
  /// value.
  package mutating func read(
    _ bytes: Span<UInt8>, _ handle: (borrowing Item) -> Void
  ) {
    var decoder = ReportDecoder()
    withoutActuallyEscaping(handle) { handle in
      var items = ItemHandler(body: handle)
      read(bytes, with: &decoder, into: &items)
    }
  }

  /// Reads a chunk as ``read(_:with:into:)`` does, but decodes every report completely.
  package mutating func readWhole(
    _ bytes: Span<UInt8>, with decoder: inout ReportDecoder,
    into handler: inout some LineHandler
  ) {
    readLines(bytes) { reader, memory, length in
      let line = memory.extracting(first: length)
      do throws(JSONScanner.Fault) {
        let found = try decoder.readWhole(memory, length: length)
        reader.statistics.reports += 1
        decoder.lend(found, to: &handler)
      } catch {
        handler.handle(reader.countMalformed(error, line))
      }
      handler.finish(line)
    } handleOverlong: {
      handler.handle($0)
      handler.finish(Span())
    }
  }

  /// Splits a chunk into lines, and passes each line with the readable memory after it.
  @inline(__always)
  private mutating func readLines(
    _ bytes: Span<UInt8>,
    _ handleLine: (inout Self, _ memory: Span<UInt8>, _ length: Int) -> Void,
    handleOverlong: (MalformedLine) -> Void
  ) {
    statistics.bytes += bytes.count
    var offset = 0
    while let line = framer.next(in: bytes, from: &offset) {
      statistics.lines += 1
      switch line {
      case .inChunk(let range):
        handleLine(&self, bytes.extracting(droppingFirst: range.lowerBound), range.count)
      case .carried(let count):
        let carried = framer.carried  // A second reference: `self` is exclusively accessed below.
        handleLine(&self, carried.span, count)
      case .tooLong:
        statistics.overlong += 1
        handleOverlong(malformed(.tooLong, framer.carried.span))
      }
    }
  }

  /// Counts a line that is not a report, and returns it with the reason.
  private mutating func countMalformed(
    _ fault: JSONScanner.Fault, _ line: Span<UInt8>
  ) -> MalformedLine {
    statistics.malformed += 1
    return malformed(MalformedLine.Reason(fault), line)
  }

  private func malformed(
    _ reason: MalformedLine.Reason, _ line: Span<UInt8>
  ) -> MalformedLine {
    let excerpt = String(copying: line.extracting(first: Self.excerptLength))
    return MalformedLine(reason: reason, excerpt: String(printable: excerpt))
  }
}

/// Passes values to a closure.
private struct ItemHandler: ReportValueHandler {
  let body: (borrowing ReportReader.Item) -> Void

  func handle(_ report: borrowing GPSDReport) { body(.report(copy report)) }
  func handle(_ line: ReportReader.MalformedLine) { body(.malformed(line)) }
}

extension ReportReader.MalformedLine.Reason {
  fileprivate init(_ fault: JSONScanner.Fault) {
    self =
      switch fault {
      case .empty: .empty
      case .notAnObject: .notAnObject
      case .syntax, .invalidText, .trailingBytes: .invalid
      case .tooDeep: .tooDeep
      case .noClass: .noClass
      }
  }
}
