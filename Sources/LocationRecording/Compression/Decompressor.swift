/// Gives the content of a recording that gzip has compressed, or of the first recording in a ZIP archive such
/// as KMZ, piece by piece. Other content remains as it is.
struct Decompressor {
  private enum State {
    /// The first bytes have not arrived.
    case undecided
    case plain
    case gzip(Inflater)
    /// Between two members of gzip: zeros may follow the last.
    case betweenMembers(Inflater)
    /// At the header of a file in an archive.
    case header
    /// Within a file of an archive that is skipped, or the one that is read.
    case deflated(Inflater, ZIPEntry)
    /// So many bytes are left of a file that is not compressed, or of one that is skipped.
    case stored(Int, ZIPEntry)
    /// Behind a file, before what tells its sizes if its header does not.
    case behind(ZIPEntry)
    /// Behind the last member of gzip.
    case behindMembers
    /// Behind what matters of an archive.
    case ended
    /// Behind what could be decompressed.
    case damaged
  }

  private static let gzipMark: [UInt8] = [0x1F, 0x8B]

  private var state = State.undecided
  private var input: ArraySlice<UInt8> = []
  /// Of the recording in an archive.
  private var checksum: UInt = 0
  /// Whether the recording in an archive is behind.
  private var hasRecording = false
  /// Whether other bytes than zeros follow the last member of gzip. They are left out.
  private(set) var hasTrailingBytes = false
  /// Whether another recording follows in the archive. It is left out.
  private(set) var hasOtherRecordings = false

  mutating func supply(_ bytes: [UInt8]) { input = input.isEmpty ? bytes[...] : input + bytes }

  /// The next piece; nil if the input completes no more.
  mutating func next() throws(RecordingError) -> [UInt8]? {
    while let bytes = try step() {
      if !bytes.isEmpty { return bytes }
    }
    return nil
  }

  /// The rest at the end of the content.
  ///
  /// - Throws: ``RecordingError`` if the compressed content is cut.
  mutating func finish() throws(RecordingError) -> [UInt8] {
    switch state {
    case .undecided, .plain:
      defer { input = [] }
      return Array(input)
    case .betweenMembers, .behindMembers:
      takeTrailingBytes()
      return []
    case .ended: return []
    case .header where hasRecording, .stored where hasRecording, .behind where hasRecording:
      return []
    case .damaged: throw Inflater.damaged
    case .header: throw Self.noRecording
    case .gzip, .deflated, .stored, .behind:
      throw RecordingError(.malformed, "the compressed content is cut; copy the file again")
    }
  }

  /// Takes one step, which may give nothing; nil if it needs more input.
  private mutating func step() throws(RecordingError) -> [UInt8]? {
    switch state {
    case .undecided:
      guard input.count >= 4 else { return nil }
      state =
        if input.starts(with: Self.gzipMark) {
          .gzip(Inflater(.gzip))
        } else if input.starts(with: ZIPEntry.signature) {
          .header
        } else {
          .plain
        }
      return try step()
    case .plain:
      defer { input = [] }
      return input.isEmpty ? nil : Array(input)
    case .gzip(let inflater):
      return inflate(inflater, then: .betweenMembers(inflater))
    case .betweenMembers(let inflater):
      guard input.count >= 2 else { return nil }
      guard input.starts(with: Self.gzipMark) else {
        state = .behindMembers
        return try step()
      }
      inflater.reset()
      state = .gzip(inflater)
      return []
    case .header: return try readHeader() ? [] : nil
    case .deflated(let inflater, let entry):
      return inflate(inflater, then: .behind(entry)).map { give($0, of: entry) }
    case .stored(let rest, let entry):
      guard rest > 0 else {
        state = .behind(entry)
        return []
      }
      guard !input.isEmpty else { return nil }
      let bytes = Array(input.prefix(min(rest, Inflater.pieceLength)))
      input = input.dropFirst(bytes.count)
      state = .stored(rest - bytes.count, entry)
      return give(bytes, of: entry)
    case .behind(let entry): return try finish(entry) ? [] : nil
    case .behindMembers:
      takeTrailingBytes()
      return nil
    case .ended:
      input = []
      return nil
    case .damaged: throw Inflater.damaged
    }
  }

  private mutating func takeTrailingBytes() {
    if input.contains(where: { $0 != 0 }) { hasTrailingBytes = true }
    input = []
  }

  /// Decompresses a piece; nil if more input is needed. The error about damage follows the bytes before it,
  /// in whatever pieces the input comes.
  private mutating func inflate(_ inflater: Inflater, then next: State) -> [UInt8]? {
    let piece = inflater.next(input)
    input = input.dropFirst(piece.consumed)
    if piece.isDamaged {
      state = .damaged
      return piece.bytes
    }
    if piece.hasEnded { state = next }
    return piece.bytes.isEmpty && !piece.hasEnded ? nil : piece.bytes
  }

  /// The bytes of the recording; none of a file that is skipped.
  private mutating func give(_ bytes: [UInt8], of entry: ZIPEntry) -> [UInt8] {
    guard entry.isRecording else { return [] }
    checksum = Inflater.checksum(of: bytes, after: checksum)
    return bytes
  }

  /// Reads what follows a file. Returns false if more input is needed.
  private mutating func finish(_ entry: ZIPEntry) throws(RecordingError) -> Bool {
    var expected = entry.checksum
    if entry.compressedSize == nil {
      guard input.count >= 4 else { return false }
      let hasSignature = input.starts(with: ZIPEntry.descriptorSignature)
      let size = entry.descriptorSize(hasSignature: hasSignature)
      guard input.count >= size else { return false }
      expected = UInt32(input.dropFirst(hasSignature ? 4 : 0).prefix(4).littleEndian)
      input = input.dropFirst(size)
    }
    guard entry.isRecording else {
      state = .header
      return true
    }
    guard checksum == UInt(expected) else { throw Inflater.damaged }
    (state, hasRecording) = (.header, true)
    return true
  }

  /// Decides about the next file of an archive. Returns false if more input is needed.
  private mutating func readHeader() throws(RecordingError) -> Bool {
    guard input.count >= 4 else { return false }
    guard input.starts(with: ZIPEntry.signature) else {
      guard hasRecording else { throw Self.noRecording }
      state = .ended
      return true
    }
    guard let entry = ZIPEntry(input) else { return false }
    guard !hasRecording else {
      lookForOther(entry)
      return true
    }
    guard !entry.isEncrypted else {
      throw RecordingError(.refused, "the ZIP archive is encrypted; decrypt it")
    }
    input = input.dropFirst(entry.headerSize)
    switch (entry.method, entry.compressedSize) {
    case (.deflated, nil): state = .deflated(Inflater(.raw), entry)
    case (.deflated, _?) where entry.isRecording: state = .deflated(Inflater(.raw), entry)
    case (.stored, let size?), (.deflated, let size?): state = .stored(size, entry)
    case (.other, let size?) where !entry.isRecording: state = .stored(size, entry)
    case (.stored, nil), (.other, _):
      throw RecordingError(
        .unknownFormat, "a file of the ZIP archive is stored in a way that is not read; unpack it")
    }
    return true
  }

  /// Decides about a file behind the recording, of which nothing is decompressed.
  private mutating func lookForOther(_ entry: ZIPEntry) {
    input = input.dropFirst(entry.headerSize)
    hasOtherRecordings = entry.isRecording
    // One whose size follows it cannot be skipped.
    guard !entry.isRecording, let size = entry.compressedSize else {
      state = .ended
      return
    }
    state = .stored(size, entry)
  }

  private static let noRecording = RecordingError(
    .unknownFormat, "the ZIP archive has no recording, such as doc.kml")
}
