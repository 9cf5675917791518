import TestSupport
import Testing

@testable import NMEASentences

@Suite(.inTurn) struct NMEASentenceTests {
  struct Position: CustomTestStringConvertible, Sendable {
    let fields: String
    /// Nil if the fields are no position.
    let degrees: (latitude: Double, longitude: Double)?

    var testDescription: String { fields }
  }

  private static func sentence(_ fields: String) throws -> NMEASentence {
    try NMEASentence(ArraySlice("$GPGLL,\(fields)".utf8))
  }

  static let positions = [
    Position(fields: "4807.5,N,01130.0,E", degrees: (48.125, 11.5)),
    Position(fields: "4807.5,S,01130.0,E", degrees: (-48.125, 11.5)),
    Position(fields: "4807.5,N,01130.0,W", degrees: (48.125, -11.5)),
    Position(fields: "4807.5,S,01130.0,W", degrees: (-48.125, -11.5)),
    Position(fields: "0000.0,S,00000.0,W", degrees: (0, 0)),
    Position(fields: "9000.0,N,18000.0,E", degrees: (90, 180)),
    Position(fields: "9000.0,S,18000.0,W", degrees: (-90, -180)),
    Position(fields: "9000.1,N,18000.0,E", degrees: nil),
    Position(fields: "4807.5,N,18000.1,E", degrees: nil),
    Position(fields: "4860.0,N,01130.0,E", degrees: nil),
    Position(fields: "4807.5,E,01130.0,N", degrees: nil),
    Position(fields: "4807.5,,01130.0,E", degrees: nil),
    Position(fields: "-4807.5,N,01130.0,E", degrees: nil),
    Position(fields: ",N,01130.0,E", degrees: nil),
  ]

  @Test(arguments: positions) func readsPositions(_ position: Position) throws {
    let read = try Self.sentence(position.fields).position(1)
    #expect(read?.latitude == position.degrees?.latitude)
    #expect(read?.longitude == position.degrees?.longitude)
  }

  /// A valid sentence has no fault.
  @Test(
    arguments: [
      ("$GPGLL,1*4D", nil), ("$GPGLL,1*4d\r", nil), ("$GPGLL,1*4E", .wrongChecksum),
      ("$GPGLL,1*", .noChecksum), ("$GPGLL,1*4", .noChecksum), ("$GPGLL,1*+4", .noChecksum),
      ("$GPGLL,\u{1}*4D", .invalidCharacter), ("# $GPGLL,1*4D", .notASentence),
      ("GPGLL,1*4D", .notASentence), ("$GP", .notASentence), ("$gpgll,1", .notASentence),
    ] as [(String, NMEASentence.Fault?)])
  func invalidSentencesAreRefused(_ line: String, _ fault: NMEASentence.Fault?) {
    do throws(NMEASentence.Fault) {
      let sentence = try NMEASentence(ArraySlice(line.utf8))
      #expect(fault == nil)
      #expect(sentence.hasChecksum)
    } catch {
      #expect(error == fault)
    }
  }
}
