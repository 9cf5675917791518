import AsyncLocation

/// Takes what lines turn out to be, in order.
///
/// The frequent reports are lent: they lie where the next one of their class will, and nobody copies
/// them on the way.
package protocol ReportHandler {
  mutating func take(_ report: borrowing TPV)
  mutating func take(_ report: borrowing SKY)
  mutating func take(_ report: borrowing ATT)
  /// IMU, which has the same fields.
  mutating func take(inertial report: borrowing ATT)
  /// Of any other class.
  mutating func take(_ report: borrowing GPSDReport)
  mutating func take(_ line: ReportReader.MalformedLine)
}

/// Takes whole reports, each after its line.
protocol LineHandler: ReportHandler {
  /// Called before each report and each malformed line with its bytes without the line's end, which
  /// are valid until the call that follows. Of a line that is too long there are none.
  mutating func begin(_ line: UnsafeRawBufferPointer)
}

/// Turns the bytes that gpsd sends into reports, in order.
///
/// Pure and synchronous; whoever reads the socket drives it. It holds at most one line in memory,
/// and makes nothing on the heap for the frequent reports, a SKY's satellites excepted.
package struct ReportReader {
  /// What a line turned out to be.
  package enum Item: Sendable, Equatable {
    case report(GPSDReport)
    case malformed(MalformedLine)
  }

  /// A line that was dropped.
  package struct MalformedLine: Sendable, Hashable {
    package enum Reason: Sendable, Hashable {
      /// Nothing but blanks.
      case empty
      /// Something other than a JSON object: not gpsd, perhaps, or raw data that was asked for.
      case notAnObject
      /// An object that breaks JSON's rules, invalid UTF-8 and control characters included.
      case invalid
      /// Brackets nested deeper than any report's.
      case tooDeep
      /// An object that does not say which class of report it is.
      case noClass
      /// Longer than ``ReportReader``'s cap; told before the line ends.
      case tooLong
    }

    package let reason: Reason
    /// How the line begins, printable.
    package let excerpt: String
  }

  /// What was read since the beginning.
  package struct Statistics: Sendable, Hashable {
    package var bytes = 0
    /// Lines that ended or were given up: reports, malformed and overlong ones together.
    package var lines = 0
    package var reports = 0
    package var malformed = 0
    package var overlong = 0
  }

  /// The longest line in bytes that is read unless another cap is given.
  package static let defaultCap = 1 << 20
  private static let excerptLength = 48

  /// What was read since the beginning.
  package private(set) var statistics = Statistics()
  private var framer: LineFramer

  /// Creates a reader of lines of at most `maximumLineLength` bytes.
  package init(maximumLineLength: Int = Self.defaultCap) {
    framer = LineFramer(cap: maximumLineLength)
  }

  /// Forgets a line that was begun; for the next connection.
  package mutating func reset() { framer.reset() }

  /// Reads a chunk of any length and hands out what its complete lines are, in order, as far as
  /// locations need it.
  package mutating func read(
    _ bytes: UnsafeRawBufferPointer, with decoder: inout ReportDecoder,
    into handler: inout some ReportHandler
  ) {
    readLines(bytes) { reader, memory, count in
      guard let start = memory.baseAddress else { return }
      do throws(JSONScanner.Fault) {
        let found = try decoder.read(start, count: count, readable: memory.count)
        reader.statistics.reports += 1
        decoder.lend(found, to: &handler)
      } catch {
        handler.take(reader.malformed(error, memory[..<count]))
      }
    } handleOverlong: {
      handler.take($0)
    }
  }

  /// The same, each item as a value.
  package mutating func read(
    _ bytes: UnsafeRawBufferPointer, _ handle: (borrowing Item) -> Void
  ) {
    var decoder = ReportDecoder()
    withoutActuallyEscaping(handle) { handle in
      var items = ItemHandler(handle: handle)
      read(bytes, with: &decoder, into: &items)
    }
  }

  /// Reads a chunk as ``read(_:with:into:)`` does, and every report whole.
  mutating func readWhole(
    _ bytes: UnsafeRawBufferPointer, with decoder: inout ReportDecoder,
    into handler: inout some LineHandler
  ) {
    readLines(bytes) { reader, memory, count in
      guard let start = memory.baseAddress else { return }
      handler.begin(UnsafeRawBufferPointer(rebasing: memory[..<count]))
      do throws(JSONScanner.Fault) {
        let found = try decoder.readWhole(start, count: count, readable: memory.count)
        reader.statistics.reports += 1
        decoder.lend(found, to: &handler)
      } catch {
        handler.take(reader.malformed(error, memory[..<count]))
      }
    } handleOverlong: {
      handler.begin(UnsafeRawBufferPointer(start: nil, count: 0))
      handler.take($0)
    }
  }

  @inline(__always)
  private mutating func readLines(
    _ bytes: UnsafeRawBufferPointer,
    _ handleLine: (inout Self, _ memory: UnsafeRawBufferPointer, _ count: Int) -> Void,
    handleOverlong: (MalformedLine) -> Void
  ) {
    statistics.bytes += bytes.count
    var offset = 0
    while let line = framer.next(in: bytes, from: &offset) {
      statistics.lines += 1
      switch line {
      case .inChunk(let range):
        handleLine(
          &self, UnsafeRawBufferPointer(rebasing: bytes[range.lowerBound...]), range.count)
      case .carried(let count):
        let carried = framer.carried  // A second reference, so that the decoder may be changed.
        carried.withUnsafeBytes { handleLine(&self, $0, count) }
      case .tooLong:
        statistics.overlong += 1
        handleOverlong(framer.carried.withUnsafeBytes { malformed(.tooLong, $0[...]) })
      }
    }
  }

  /// Counts a line that is no report, and says why.
  private mutating func malformed(
    _ fault: JSONScanner.Fault, _ line: Slice<UnsafeRawBufferPointer>
  ) -> MalformedLine {
    statistics.malformed += 1
    return malformed(MalformedLine.Reason(fault), line)
  }

  private func malformed(
    _ reason: MalformedLine.Reason, _ line: Slice<UnsafeRawBufferPointer>
  ) -> MalformedLine {
    let excerpt = String(decoding: line.prefix(Self.excerptLength), as: UTF8.self)
    return MalformedLine(reason: reason, excerpt: String(printable: excerpt))
  }
}

/// Makes values of what is lent.
private struct ItemHandler: ReportHandler {
  let handle: (borrowing ReportReader.Item) -> Void

  func take(_ report: borrowing TPV) {
    handle(.report(.tpv(copy report)))
  }
  func take(_ report: borrowing SKY) { handle(.report(.sky(copy report))) }
  func take(_ report: borrowing ATT) { handle(.report(.att(copy report))) }
  func take(inertial report: borrowing ATT) {
    handle(.report(.imu(copy report)))
  }
  func take(_ report: borrowing GPSDReport) { handle(.report(copy report)) }
  func take(_ line: ReportReader.MalformedLine) { handle(.malformed(line)) }
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
