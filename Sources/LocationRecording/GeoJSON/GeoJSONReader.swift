import AsyncLocation

/// Reads GeoJSON: one document, a document on each line, or a sequence (RFC 8142).
///
/// Keeps one feature in memory; see ``GeoJSONDocument``. A point's time is in a property such as
/// `time` or `timestamp`. A line's times are in a list with one of the names
/// ``PropertyAssembly/timeNames``, which may be in the object `coordinateProperties` that
/// placemark/togeojson writes.
struct GeoJSONReader: FormatReader {
  private static let separator: UInt8 = 0x1E

  /// A document that is not valid JSON. It is skipped up to the next record separator. If it ends
  /// first, its error is thrown.
  private struct DamagedDocument {
    let error: RecordingError
    /// The line where the document begins.
    let line: Int
    var structure: JSONStructure
  }

  private var document = GeoJSONDocument(acceptsGeometry: true)
  private var damage: DamagedDocument?
  /// The current bytes, and the index of the next byte to handle.
  private var input: [UInt8] = []
  private var index = 0
  /// The feature whose locations are being appended.
  private var track: GeoJSONTrack?
  /// Whether other documents may precede or follow: a record separator or a document was read.
  private var isOneOfMany = false

  var cost: ReadingCost { document.cost }
  var line: Int { document.place.line }

  mutating func read(
    _ bytes: [UInt8], into output: inout RecordingOutput
  ) throws(RecordingError) {
    (input, index) = (bytes, 0)
    _ = try readBuffered(into: &output)
  }

  mutating func readBuffered(into output: inout RecordingOutput) throws(RecordingError) -> Bool {
    while !output.isFull {
      if let isAtEnd = track?.append(to: &output) {
        if isAtEnd { track = nil }
      } else if index == input.count {
        return false
      } else if let damage {
        try skip(damage, into: &output)
      } else {
        try readDocument(into: &output)
      }
    }
    return true
  }

  mutating func finish(into output: inout RecordingOutput) throws(RecordingError) {
    if document.isAtStart, damage == nil { return }
    // Of many documents, only the last one can be truncated, as by a process that is killed during
    // a write. It is dropped, and the others are valid.
    if isOneOfMany, (damage?.structure ?? document.structure).depth > 0 {
      return dropIncomplete(line: damage?.line ?? document.firstLine, into: &output)
    }
    if let damage { throw damage.error }
    do throws(GeoJSON.Fault) { try document.finish() } catch { throw RecordingError(error) }
  }

  /// Retains the positions of an incomplete LineString, MultiLineString or MultiPoint. An
  /// incomplete Point is dropped: its time may be missing.
  mutating func outputReadable(into output: inout RecordingOutput) {
    (input, index, damage) = ([], 0, nil)
    guard let feature = document.close() else { return }
    switch feature.geometry {
    case .lineString, .multiLineString, .multiPoint: track = GeoJSONTrack(feature)
    case .point, .polygon, .multiPolygon, nil: break
    }
  }

  /// Reads up to the next part of the document, or to its end.
  private mutating func readDocument(into output: inout RecordingOutput) throws(RecordingError) {
    let input = input
    do throws(GeoJSON.Fault) {
      switch try document.read(input.span, at: &index) {
      case .name(.success(let name))?: output.setName(name)
      case .name(.failure(let fault))?, .feature(.failure(let fault))?:
        output.skip(line: fault.place.line, fault.description)
      case .feature(.success(let feature))?: track = GeoJSONTrack(feature)
      case nil: break
      }
      guard document.isComplete else { return }
      document.restart()
      isOneOfMany = true
    } catch {
      try handle(error, into: &output)
    }
  }

  private mutating func handle(
    _ fault: GeoJSON.Fault, into output: inout RecordingOutput
  ) throws(RecordingError) {
    guard case .invalidJSON = fault.problem else { throw RecordingError(fault) }
    if fault.place == document.place, index < input.count, input[index] == Self.separator {
      // The previous document may be incomplete. RFC 8142 requires the reader to continue with the
      // next one.
      skipByte()
      if !document.isAtStart { dropIncomplete(line: document.firstLine, into: &output) }
      isOneOfMany = true
    } else if isOneOfMany {
      damage = DamagedDocument(
        error: RecordingError(fault), line: document.firstLine, structure: document.structure)
    } else {
      throw RecordingError(fault)
    }
  }

  /// Skips a damaged document up to the next record separator. Throws its error if it ends first.
  private mutating func skip(
    _ damage: DamagedDocument, into output: inout RecordingOutput
  ) throws(RecordingError) {
    var structure = damage.structure
    while index < input.count {
      let byte = skipByte()
      if byte == Self.separator { return dropIncomplete(line: damage.line, into: &output) }
      if case .end = structure.read(byte), structure.depth <= 0 { throw damage.error }
    }
    self.damage?.structure = structure
  }

  @discardableResult
  private mutating func skipByte() -> UInt8 {
    let byte = input[index]
    document.skip(byte)
    index += 1
    return byte
  }

  private mutating func dropIncomplete(line: Int, into output: inout RecordingOutput) {
    output.skip(line: line, "the document is cut")
    damage = nil
    document.restart()
  }
}

extension RecordingError {
  init(_ fault: GeoJSON.Fault) {
    let place = fault.place
    switch fault.problem {
    case .invalidJSON(_, _, let reason):
      self.init(.malformed, line: place.line, column: place.column, reason)
    case .tooLarge:
      self.init(.tooLarge, line: place.line, column: place.column, fault.description)
    case .unsupportedDocument, .unsupportedGeometry, .missing, .unexpected, .contradictoryType,
      .outOfRange:
      self.init(.malformed, line: place.line, column: place.column, fault.description)
    }
  }
}
