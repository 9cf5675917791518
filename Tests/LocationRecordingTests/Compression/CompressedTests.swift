import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import LocationRecording

/// Recordings that Python has compressed with gzip or written into ZIP archives.
@Suite(.enabled(if: Command.isInstalled("python3"), "install python3"), .inTurn)
struct CompressedTests {
  private static let text = KMLTests.document(
    KMLTests.track(KMLTests.whens, ["8.5 47.1 1", "8.6 47.2 2", "8.7 47.3 3"]))

  /// Returns the bytes that a Python program writes to `out`, given the text as `text`.
  ///
  /// `Stream(out)` cannot seek, so `zipfile` writes the sizes of a file after its content.
  private func bytesWritten(
    by program: String, _ text: String = Self.text
  ) async throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let input = try folder.write(Array(text.utf8), to: "in")
    let script = try folder.write(
      Array(
        """
        import gzip, io, sys, zipfile
        text = open(sys.argv[1], 'rb').read()
        class Stream(io.RawIOBase):
            def __init__(self, file): self.file = file
            def writable(self): return True
            def write(self, data): return self.file.write(data)
        out = open(sys.argv[2], 'wb')
        \(program)
        """.utf8), to: "make.py")
    _ = try await Command.output(of: ["python3", script, input, "\(folder.path)/out"])
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/out")))
  }

  /// The beginning of a Python statement that writes files to an archive `z`.
  static let archive = "with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as z:"

  @Test(arguments: [
    "out.write(gzip.compress(text))",
    "out.write(gzip.compress(text[:100]) + gzip.compress(text[100:]) + bytes(20))",
    "\(archive) z.writestr('doc.kml', text)",
    "\(archive) z.writestr('icons/a.png', bytes(9999)); z.writestr('Doc.KML', text); z.writestr('b.kml', 'x')",
    "with zipfile.ZipFile(out, 'w') as z: z.writestr('a.png', b'123'); z.writestr('doc.kml', text)",
    // Zip64: the sizes have eight bytes.
    "with zipfile.ZipFile(Stream(out), 'w', zipfile.ZIP_DEFLATED) as z:\n"
      + "  with z.open('a.png', 'w', force_zip64=True) as f: f.write(bytes(99))\n"
      + "  z.writestr('doc.kml', text)",
    "with zipfile.ZipFile(out, 'w') as z:\n"
      + "  with z.open('doc.kml', 'w', force_zip64=True) as f: f.write(text)",
    // The sizes follow the content, because a stream cannot seek.
    "with zipfile.ZipFile(Stream(out), 'w', zipfile.ZIP_DEFLATED) as z: "
      + "z.writestr('a.png', bytes(99)); z.writestr('doc.kml', text)",
  ])
  func compressedRecordingsAreRead(_ program: String) async throws {
    let bytes = try await bytesWritten(by: program)
    for length in [1, 100, bytes.count] {
      var reader = RecordingReader()
      var count = 0
      for piece in bytes.pieces(of: length) {
        count += try reader.read(piece).count
      }
      count += try reader.finish().count
      #expect(count == 3)
      #expect(reader.format == .kml)
    }
  }

  @Test(arguments: [
    ("out.write(gzip.compress(text)[:-9])", RecordingError.Code.malformed, "cut"),
    ("out.write(gzip.compress(text)[:10] + bytes([255] * 40))", .malformed, "damaged"),
    ("out.write(gzip.compress(b'hello'))", .unknownFormat, "GPX"),
    // The checksum is that of the unchanged text.
    (
      "z = io.BytesIO()\nwith zipfile.ZipFile(z, 'w') as a: a.writestr('doc.kml', text)\n"
        + "out.write(z.getvalue().replace(b'47.1', b'48.1'))", .malformed, "damaged"
    ),
    (cutLayer, .malformed, "cut"),
    ("\(archive) z.writestr('a.png', bytes(99))", .unknownFormat, "ZIP"),
    ("out.write(gzip.compress(b''))", .unknownFormat, "empty"),
    // The first flag marks an encrypted file.
    (
      "z = io.BytesIO()\nwith zipfile.ZipFile(z, 'w') as a: a.writestr('doc.kml', text)\n"
        + "b = bytearray(z.getvalue()); b[6] = 1; out.write(b)", .refused, "encrypted"
    ),
  ])
  func isRefused(program: String, code: RecordingError.Code, word: String) async throws {
    let bytes = try await bytesWritten(by: program)
    let error = #expect(throws: RecordingError.self) { try recording(bytes) }
    #expect(error?.code == code)
    #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
  }

  /// Only the first recording is read. Others are reported, but not pictures or metadata.
  @Test(arguments: [
    ("z.writestr('2.kml', text)", true),
    ("z.writestr('a.png', bytes(99)); z.writestr('b.kml', text)", true),
    ("z.writestr('a.png', bytes(99))", false),
    ("z.writestr('__MACOSX/._doc.kml', bytes(9))", false),
  ])
  func otherRecordingsOfAnArchiveAreReported(_ others: String, _ areReported: Bool) async throws {
    let bytes = try await bytesWritten(by: "\(Self.archive) z.writestr('doc.kml', text); \(others)")
    for length in [1, 7, bytes.count] {
      var reader = RecordingReader()
      var locations = 0
      for piece in bytes.pieces(of: length) {
        locations += try reader.read(piece).count
      }
      locations += try reader.finish().count
      #expect(locations == 3)
      #expect(reader.skipped.count == (areReported ? 1 : 0), "\(reader.skipped)")
      if areReported { #expect("\(reader.skipped.parts)".contains("other recordings")) }
    }
  }

  private static func links(_ names: String...) -> String {
    let links = names.map { "<NetworkLink><Link><href>\($0)</href></Link></NetworkLink>" }
    return "'<kml><Document>\(links.joined())</Document></kml>'"
  }

  /// GDAL's LIBKML driver writes a file for each layer and links to them in the first file.
  @Test(
    "F83 the layers of a KMZ are read",
    arguments: [
      (
        "z.writestr('doc.kml', \(Self.links("layers/a b.kml", "./layers/c.kml"))); "
          + "z.writestr('layers/', b''); z.writestr('layers/a b.kml', text); "
          + "z.writestr('a.png', bytes(9)); z.writestr('layers/c.kml', text)", 6, 0
      ),
      (
        "z.writestr('doc.kml', \(Self.links("a.kml", "http://example.org/b.kml"))); "
          + "z.writestr('b.kml', text); z.writestr('a.kml', text)", 3, 1
      ),
      (
        "z.writestr('doc.kml', \(Self.links("layers/a.kml"))); z.writestr('b.kml', text); "
          + "z.writestr('layers/a.kml', \(Self.links("b.kml"))); "
          + "z.writestr('layers/b.kml', text)", 3, 1
      ),
      (
        "z.writestr('doc.kml', \(Self.links("layers/a.kml"))); "
          + "z.writestr('layers/a.kml', \(Self.links("../shared/b%20c.kml#d"))); "
          + "z.writestr('shared/b c.kml', text)", 3, 0
      ),
      // File names are not always percent-encoded, and a link to a host names no file.
      (
        "z.writestr('doc.kml', \(Self.links("a%20b.kml", "c#1.kml", "100%+F.kml"))); "
          + "z.writestr('a%20b.kml', text); z.writestr('c#1.kml', text); "
          + "z.writestr('100%+F.kml', text)", 9, 0
      ),
      (
        "z.writestr('doc.kml', \(Self.links("a.kml", "//example.org/b.kml"))); "
          + "z.writestr('b.kml', text); z.writestr('a.kml', text)", 3, 1
      ),
      ("z.writestr('doc.kml', '<kml></kml>'); z.writestr('b.kml', text)", 3, 0),
      (
        "z.writestr('doc.kml', '<kml></kml>'); z.writestr('b.kml', text); "
          + "z.writestr('c.kml', text)", 3, 1
      ),
    ] as [(String, Int, Int)])
  func layersAreRead(files: String, count: Int, skipped: Int) async throws {
    // The sizes of the files are before their content in one archive, and after it in the other.
    for target in ["out", "Stream(out)"] {
      let bytes = try await bytesWritten(
        by: "with zipfile.ZipFile(\(target), 'w', zipfile.ZIP_DEFLATED) as z: \(files)")
      for length in [1, 100, bytes.count] {
        var reader = RecordingReader()
        var locations = 0
        for piece in bytes.pieces(of: length) {
          locations += try Self.count(reader.read(piece))
        }
        locations += try Self.count(reader.finish())
        #expect(locations == count)
        #expect(reader.format == .kml)
        #expect(reader.pointKind == .track)
        #expect(reader.skipped.count == skipped, "\(reader.skipped)")
      }
    }
  }

  private static func count(_ events: [TimedEvent]) -> Int {
    events.count { if case .location = $0.event { true } else { false } }
  }

  /// An archive with a truncated layer.
  private static let cutLayer =
    "z = io.BytesIO()\nwith zipfile.ZipFile(z, 'w') as a: "
    + "a.writestr('doc.kml', \(links("a.kml"))); a.writestr('a.kml', text)\n"
    + "out.write(z.getvalue()[:z.getvalue().index(b'PK\\x01\\x02') - 9])"

  @Test("F83 a short file of an archive is recognized at its end")
  func shortFile() async throws {
    let bytes = try await bytesWritten(
      by: "\(Self.archive) z.writestr('doc.kml', '<kml/>'); z.writestr('b.kml', text)")
    #expect(try recording(bytes).locations.count == 3)
  }

  @Test("F83 a file that is cut before it is recognized has the line of its damage")
  func shortCutFile() async throws {
    let bytes = try await bytesWritten(by: "out.write(gzip.compress(b'<gpx/>')[:-3])")
    let error = #expect(throws: RecordingError.self) {
      _ = try Recording(bytes, options: RecordingOptions(keepsReadablePart: true))
    }
    #expect(error?.message.contains("cut") == true)
    #expect(error?.line == 1)
  }

  /// macOS adds a metadata file with a similar name.
  @Test func metadataFilesOfMacOSAreIgnored() async throws {
    let bytes = try await bytesWritten(
      by: "\(Self.archive) z.writestr('__MACOSX/._doc.kml', bytes(9)); z.writestr('doc.kml', text)")
    #expect(try recording(bytes).locations.count == 3)
  }

  /// gunzip also warns of trailing data. Zeros are padding.
  @Test(
    "F83 data after a member is counted",
    arguments: [("b'x'", 1), ("b'xy'", 1), ("bytes(999)", 0), ("bytes(999) + b'x'", 1)])
  func trailingDataIsCounted(_ rest: String, _ count: Int) async throws {
    let bytes = try await bytesWritten(by: "out.write(gzip.compress(text) + \(rest))")
    for length in [1, 3, bytes.count] {
      var reader = RecordingReader()
      var events = 0
      for piece in bytes.pieces(of: length) {
        events += try reader.read(piece).count
      }
      events += try reader.finish().count
      #expect(events == 3)
      #expect(reader.skipped.count == count)
    }
  }

  private static let table =
    "time,lat,lon\n" + (0..<2_000).map { "2026-05-04T12:00:00Z,\($0 % 90).5,\($0 % 7)\n" }.joined()
  private static let sentences = String(
    decoding: LocationRecordingTests.sentences(
      ["120000", "120001"].map { NMEAReaderTests.gga($0) }), as: UTF8.self)

  /// A cut line may end with a truncated number, so the line is left out.
  @Test(
    arguments: [
      ("gzip cut", "out.write(gzip.compress(text)[:-9])", Self.text, 3, "cut"),
      (
        "gzip cut in points with times", "out.write(gzip.compress(text, 0)[:-10])",
        "<kml>\(PartialRecordingTests.timedPoints(3))</kml>", 3, "cut"
      ),
      (
        "gzip cut in a table", "z = gzip.compress(text); out.write(z[:len(z) // 2])", table, nil,
        "cut"
      ),
      (
        "gzip cut in stored lines", "z = gzip.compress(text, 0); out.write(z[:-10])", table, 1_999,
        "cut"
      ),
      (
        "gzip cut in sentences", "z = gzip.compress(text, 0); out.write(z[:-10])", sentences, 1,
        "cut"
      ),
      (
        "gzip damaged in a table",
        "z = gzip.compress(text); out.write(z[:len(z) // 2] + bytes([255] * 900))", table, nil,
        "damaged"
      ),
      (
        "gzip with a wrong checksum", "out.write(gzip.compress(text)[:-8] + bytes(8))", table,
        2_000, "damaged"
      ),
      (
        "ZIP cut",
        "z = io.BytesIO()\nwith zipfile.ZipFile(z, 'w') as a: a.writestr('a.csv', text)\n"
          + "out.write(z.getvalue()[:-9000])", table, nil, "cut"
      ),
      (
        "ZIP with a wrong checksum",
        "z = io.BytesIO()\nwith zipfile.ZipFile(z, 'w') as a: a.writestr('doc.kml', text)\n"
          + "out.write(z.getvalue().replace(b'47.1', b'48.1'))", Self.text, 3, "damaged"
      ),
    ] as [(String, String, String, Int?, String)])
  func contentBeforeTheDamageIsKept(
    name: String, program: String, text: String, count: Int?, word: String
  ) async throws {
    let bytes = try await bytesWritten(by: program, text)
    let recording = try Recording(
      bytes, options: RecordingOptions(start: start, keepsReadablePart: true))
    let failure = try #require(recording.failure)
    #expect(failure.message.contains(word), "\(name): \(failure)")
    #expect(failure.line != nil, "\(name): \(failure)")
    let locations = recording.locations
    if let count { #expect(locations.count == count, "\(name)") }
    guard text == Self.table else { return }
    let expected = (0..<2_000).map { Double($0 % 90) + 0.5 }
    // Damaged data may yield wrong lines before the damage is detected.
    let isCertain = word == "cut" || count != nil
    let certainCount = isCertain ? locations.count : 100
    #expect((100...2_000).contains(certainCount), "\(name)")
    #expect(
      locations.prefix(certainCount).map(\.latitude) == Array(expected.prefix(certainCount)),
      "\(name)")
    guard isCertain else { return }
    #expect(recording.skipped.isEmpty, "\(name): \(failure)")
    // The header is the first line.
    #expect(failure.line == certainCount + 2, "\(name): \(failure)")
  }

  /// A file may expand to a thousand times its size, which is never held in memory at once.
  @Test(.longWork) func decompressionReturnsBoundedPieces() async throws {
    let bytes = try await bytesWritten(
      by: "out.write(gzip.compress(text + b' ' * 100000000))",
      "{\"type\":\"Point\",\"coordinates\":[1,2]}")
    #expect(bytes.count < 200_000)
    var decompressor = Decompressor()
    decompressor.supply(bytes)
    var (count, largest) = (0, 0)
    while let piece = try decompressor.next() {
      count += piece.count
      largest = max(largest, piece.count)
    }
    #expect(count > 100_000_000)
    #expect(largest <= Inflater.pieceLength)
    #expect(try decompressor.finish() == [])
  }

  @Test(.longWork) func changingAnyByteDoesNotTrap() async throws {
    for program in [
      "out.write(gzip.compress(text))", "\(Self.archive) z.writestr('doc.kml', text)",
    ] {
      let intact = try await bytesWritten(by: program)
      for index in intact.indices {
        var bytes = intact
        bytes[index] ^= 0x55
        _ = try? recording(bytes)
      }
    }
  }
}
