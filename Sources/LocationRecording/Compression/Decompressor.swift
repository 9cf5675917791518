/// Decompresses a gzip file or the first recording in a ZIP archive such as KMZ, in pieces.
/// Other content is passed through. Files after the first recording are read on request.
struct Decompressor {
  private enum State {
    /// The first bytes have not arrived.
    case undecided
    case plain
    case gzip(Inflater)
    /// Between two gzip members; zeros may follow the last one.
    case betweenMembers(Inflater)
    /// At the header of a file in an archive.
    case header
    /// Within a deflated file of an archive, which is read or skipped.
    case deflated(Inflater, ZIPEntry)
    /// Within an uncompressed or skipped file, with the number of bytes left.
    case stored(Int, ZIPEntry)
    /// After a file, before its data descriptor if its header lacks the sizes.
    case afterFile(ZIPEntry)
    /// After the last gzip member.
    case afterMembers
    /// After the last relevant file of an archive.
    case ended
    /// The input is damaged; the bytes before the damage were returned.
    case damaged
  }

  private static let gzipSignature: [UInt8] = [0x1F, 0x8B]

  private var state = State.undecided
  private var input: ArraySlice<UInt8> = []
  /// The checksum of the current file of an archive.
  private var checksum: UInt = 0
  /// Whether the current file of an archive is read instead of skipped.
  private var isReading = false
  /// Whether the first recording in an archive was read.
  private var hasRecording = false
  /// The name of the last file of an archive that was read to its end, until it is taken.
  private var endedFile: String?
  /// The names of files of an archive to read after the first one, each with all possible names
  /// of its link's target.
  private var requested: [String: Set<String>] = [:]
  /// Whether the next KML file is read, regardless of its name.
  private var readsNext = false
  /// Whether bytes other than zeros follow the last gzip member. They are left out.
  private(set) var hasTrailingBytes = false
  /// Whether other recordings follow in the archive. They are left out.
  private(set) var hasOtherRecordings = false

  mutating func supply(_ bytes: [UInt8]) { input = input.isEmpty ? bytes[...] : input + bytes }

  /// The next piece; nil if more input is needed. The end of each file that is read from an archive
  /// has a piece of its own, which is empty.
  mutating func next() throws(RecordingError) -> [UInt8]? {
    while let bytes = try step() {
      if !bytes.isEmpty || endedFile != nil { return bytes }
    }
    return nil
  }

  /// The name of a file in an archive, if the last piece ended it.
  mutating func takeEndedFile() -> String? { endedFile.take() }

  /// Requests files of an archive that follow the last one that was read.
  ///
  /// - Parameters:
  ///   - links: The links in a file.
  ///   - file: The name of that file.
  ///   - readsNext: Whether the next KML file is read if no linked file is left to read.
  mutating func request(_ links: [String], of file: String, readsNext: Bool) {
    for link in links {
      let names = ArchiveLink.targets(of: link, in: file)
      for name in names { requested[name] = names }
    }
    self.readsNext = readsNext && requested.isEmpty
  }

  /// Handles the end of the content, and returns the remaining bytes.
  ///
  /// - Throws: ``RecordingError`` if the compressed content is truncated or damaged, or if the
  ///   archive has no recording.
  mutating func finish() throws(RecordingError) -> [UInt8] {
    switch state {
    case .undecided, .plain:
      defer { input = [] }
      return Array(input)
    case .betweenMembers, .afterMembers:
      handleTrailingBytes()
      return []
    case .ended: return []
    case .header where hasReadRequestedFiles, .deflated where hasReadRequestedFiles,
      .stored where hasReadRequestedFiles, .afterFile where hasReadRequestedFiles:
      return []
    case .damaged: throw Inflater.damaged
    case .header where !hasRecording: throw Self.noRecording
    case .header, .gzip, .deflated, .stored, .afterFile:
      throw RecordingError(.malformed, "the compressed content is cut; copy the file again")
    }
  }

  /// Performs one step, which may return no bytes; nil if more input is needed.
  private mutating func step() throws(RecordingError) -> [UInt8]? {
    switch state {
    case .undecided:
      guard input.count >= 4 else { return nil }
      state =
        if input.starts(with: Self.gzipSignature) {
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
      guard input.starts(with: Self.gzipSignature) else {
        state = .afterMembers
        return try step()
      }
      inflater.reset()
      state = .gzip(inflater)
      return []
    case .header: return try readHeader() ? [] : nil
    case .deflated(let inflater, let entry):
      return inflate(inflater, then: .afterFile(entry)).map { checksummedBytes($0) }
    case .stored(let rest, let entry):
      guard rest > 0 else {
        state = .afterFile(entry)
        return []
      }
      guard !input.isEmpty else { return nil }
      let bytes = Array(input.prefix(min(rest, Inflater.pieceLength)))
      input = input.dropFirst(bytes.count)
      state = .stored(rest - bytes.count, entry)
      return checksummedBytes(bytes)
    case .afterFile(let entry): return try endFile(entry) ? [] : nil
    case .afterMembers:
      handleTrailingBytes()
      return nil
    case .ended:
      input = []
      return nil
    case .damaged: throw Inflater.damaged
    }
  }

  private mutating func handleTrailingBytes() {
    if input.contains(where: { $0 != 0 }) { hasTrailingBytes = true }
    input = []
  }

  /// Decompresses a piece; nil if more input is needed. The error about damage follows the bytes
  /// before it, regardless of how the input is split.
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

  /// Whether the first recording and all requested files were read. The rest of the archive may
  /// then be truncated.
  private var hasReadRequestedFiles: Bool { hasRecording && !isReading && requested.isEmpty }

  /// Returns the bytes of a file that is read, and adds them to the checksum. Returns no bytes of a
  /// skipped file.
  private mutating func checksummedBytes(_ bytes: [UInt8]) -> [UInt8] {
    guard isReading else { return [] }
    checksum = Inflater.checksum(of: bytes, after: checksum)
    return bytes
  }

  /// Handles the end of a file, and verifies its checksum. Returns false if more input is needed.
  private mutating func endFile(_ entry: ZIPEntry) throws(RecordingError) -> Bool {
    var expected = entry.checksum
    if entry.compressedSize == nil {
      guard input.count >= 4 else { return false }
      let hasSignature = input.starts(with: ZIPEntry.descriptorSignature)
      let size = entry.descriptorSize(hasSignature: hasSignature)
      guard input.count >= size else { return false }
      expected = UInt32(input.dropFirst(hasSignature ? 4 : 0).prefix(4).littleEndian)
      input = input.dropFirst(size)
    }
    guard isReading else {
      state = .header
      return true
    }
    guard checksum == UInt(expected) else { throw Inflater.damaged }
    (state, hasRecording) = (.header, true)
    (isReading, checksum, endedFile) = (false, 0, entry.name)
    return true
  }

  /// Reads the header of the next file of an archive. Returns false if more input is needed.
  private mutating func readHeader() throws(RecordingError) -> Bool {
    guard input.count >= 4 else { return false }
    guard input.starts(with: ZIPEntry.signature) else {
      guard hasRecording else { throw Self.noRecording }
      state = .ended
      return true
    }
    guard let entry = ZIPEntry(input) else { return false }
    let isWanted =
      hasRecording
      ? requested[entry.name] != nil || readsNext && entry.isKML : entry.isRecording
    guard isWanted || !hasRecording else {
      skipAfterRecording(entry)
      return true
    }
    guard !entry.isEncrypted else {
      throw RecordingError(.refused, "the ZIP archive is encrypted; decrypt it")
    }
    input = input.dropFirst(entry.headerSize)
    isReading = isWanted
    // The file satisfies its link, so no file with another possible name of the target is read.
    for name in requested[entry.name] ?? [] { requested[name] = nil }
    switch (entry.method, entry.compressedSize) {
    case (.deflated, nil): state = .deflated(Inflater(.raw), entry)
    case (.deflated, _?) where isWanted: state = .deflated(Inflater(.raw), entry)
    case (.stored, let size?), (.deflated, let size?): state = .stored(size, entry)
    case (.other, let size?) where !isWanted: state = .stored(size, entry)
    case (.stored, nil), (.other, _):
      throw RecordingError(
        .unknownFormat, "a file of the ZIP archive is stored in a way that is not read; unpack it")
    }
    return true
  }

  /// Skips a file after the first recording. Ends the reading if the file cannot be skipped, or if
  /// no further file matters.
  private mutating func skipAfterRecording(_ entry: ZIPEntry) {
    input = input.dropFirst(entry.headerSize)
    if entry.isRecording { hasOtherRecordings = true }
    let needsLaterFile = readsNext || !requested.isEmpty
    if let size = entry.compressedSize, needsLaterFile || !entry.isRecording {
      state = .stored(size, entry)
    } else if needsLaterFile, entry.method == .deflated, !entry.isEncrypted {
      state = .deflated(Inflater(.raw), entry)
    } else {
      // If another file is needed, it may follow this one, which cannot be skipped: its size
      // follows its content.
      hasOtherRecordings = hasOtherRecordings || needsLaterFile
      state = .ended
    }
  }

  private static let noRecording = RecordingError(
    .unknownFormat, "the ZIP archive has no recording, such as doc.kml")
}
