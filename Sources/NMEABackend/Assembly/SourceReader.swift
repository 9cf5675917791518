import AsyncLocation
import FoundationEssentials
import NMEASentences

/// Converts the bytes of a source to backend events, and counts what they contain.
struct SourceReader: Sendable {
  /// The numbers of bytes, sentences and epochs; see ``NMEAStatistics``.
  struct Counts: Hashable, Sendable {
    var bytes = 0
    var sentences = 0
    var wrongChecksums = 0
    var malformedSentences = 0
    var skippedSentences = 0
    var otherBytes = 0
    var epochs = 0
  }

  /// What a chunk of bytes contains, as far as it shows whether the source sends NMEA 0183.
  struct Content: Hashable, Sendable {
    /// Valid sentences, also of AIS.
    var sentences = 0
    /// Those with a checksum, which noise does not have.
    var checkedSentences = 0
    /// Those of a type that has the receiver's position, with or without a fix.
    var positions = 0
    /// The first types of the other ones, as a message shows them.
    var types: [String] = []
    /// Sentences whose checksum is wrong.
    var wrongChecksums = 0
    /// Bytes outside of valid sentences.
    var otherBytes = 0
    /// The first of the other bytes since the last valid sentence. Never shown: they may have a
    /// position.
    var excerpt: [UInt8] = []
  }

  private var scanner = SentenceScanner()
  private var assembler: LiveAssembler
  /// Whether a sentence had a checksum. Later sentences without one are cut.
  private var hasChecksums = false
  private var counts = Counts()

  /// - Parameters:
  ///   - source: The source's name.
  ///   - first: The receiver that has the source's name, if it is known from an earlier run.
  init(
    source: String, first: TalkerFamily? = nil, hostTime: @escaping @Sendable () -> Date
  ) {
    assembler = LiveAssembler(source: source, first: first, hostTime: hostTime)
  }

  /// The devices that deliver.
  var devices: LineDevices { assembler.devices }

  /// When the first of the open epochs ends unless another sentence arrives.
  var deadline: Duration? { assembler.deadline }

  /// Reads a chunk and appends the events that it completes.
  ///
  /// - Parameter isDatagram: Whether the chunk is complete, so that its end is the end of a sentence.
  mutating func read(
    _ bytes: Span<UInt8>, isDatagram: Bool, at arrival: Duration, into events: inout [BackendEvent]
  ) -> Content {
    var content = Content()
    if !bytes.isEmpty { assembler.heard(at: arrival) }
    // Moved out for the call, since the closure changes the other members.
    var scanner = SentenceScanner()
    swap(&scanner, &self.scanner)
    let before = scanner.otherBytes
    scanner.scan(bytes) { handle($0, $1, at: arrival, &content, into: &events) }
    if isDatagram { scanner.finish { handle($0, $1, at: arrival, &content, into: &events) } }
    let other = scanner.otherBytes - before
    counts.bytes += bytes.count
    counts.otherBytes += other
    content.otherBytes += other
    if content.sentences > 0 { scanner.forgetExcerpt() }
    if !scanner.excerpt.isEmpty { content.excerpt = scanner.excerpt }
    swap(&scanner, &self.scanner)
    return content
  }

  /// Begins to read, after the source was opened or its speed was changed.
  mutating func begin(at now: Duration) {
    discardPart()
    assembler.opened(at: now)
  }

  /// Discards a sentence that has not ended.
  private mutating func discardPart() {
    scanner.reset()
    scanner.forgetExcerpt()
  }

  /// Ends the epochs whose deadline has passed.
  mutating func endEpochs(dueBy now: Duration, into events: inout [BackendEvent]) {
    assembler.endEpochs(dueBy: now, at: now, into: &events)
  }

  /// Ends all epochs and forgets the receivers, at the end of a connection.
  mutating func endConnection(at now: Duration, into events: inout [BackendEvent]) {
    assembler.endEpochs(dueBy: nil, at: now, into: &events)
    counts.epochs += assembler.epochCount - countedEpochs
    countedEpochs = 0
    assembler.connectionEnded()
    discardPart()
    hasChecksums = false
  }

  private var countedEpochs = 0

  /// Returns the counts since the last call.
  mutating func takeCounts() -> Counts {
    counts.epochs += assembler.epochCount - countedEpochs
    countedEpochs = assembler.epochCount
    defer { counts = Counts() }
    return counts
  }

  private mutating func handle(
    _ part: SentenceScanner.Part, _ line: ArraySlice<UInt8>, at arrival: Duration,
    _ content: inout Content, into events: inout [BackendEvent]
  ) {
    do throws(NMEASentence.Fault) {
      guard part == .sentence else { throw .notASentence }
      let isOther = line.first == UInt8(ascii: "!")
      let sentence =
        try isOther ? NMEASentence([UInt8(ascii: "$")] + line.dropFirst()) : NMEASentence(line)
      if sentence.hasChecksum { hasChecksums = true }
      guard sentence.hasChecksum || !hasChecksums else { throw .noChecksum }
      content.sentences += 1
      if sentence.hasChecksum { content.checkedSentences += 1 }
      if sentence.isPosition, !isOther {
        content.positions += 1
      } else if let type = sentence.shownType(isEncapsulated: isOther) {
        content.types.appendType(type)
      }
      guard !isOther else {
        counts.skippedSentences += 1
        return
      }
      counts.sentences += 1
      switch assembler.handle(sentence, at: arrival, into: &events) {
      case .used: break
      case .skipped: counts.skippedSentences += 1
      case .malformed: counts.malformedSentences += 1
      }
    } catch {
      content.otherBytes += line.count
      if content.excerpt.isEmpty { content.excerpt = Array(line.prefix(40)) }
      switch error {
      case .wrongChecksum:
        counts.wrongChecksums += 1
        content.wrongChecksums += 1
      case .notASentence, .noChecksum, .invalidCharacter: counts.malformedSentences += 1
      }
    }
  }
}
