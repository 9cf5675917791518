import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import NominatimGeocoder

/// The server sees one request with one line and the unchanged name, whatever the name contains.
@Suite(.inTurn) struct NominatimInjectionTests {
  private static let pieces = [
    "Vaduz", " ", "&q=Paris", "#", "+", "%0D%0A", "%", "?", "/../", "=", ";", "\"", "'", "<", "\\",
    "ü", "東京", "🏔️", "👨‍👩‍👧", "e\u{301}", "\u{202E}", "\u{2028}", "\u{FEFF}", "HTTP/1.1",
    "://", "@", "[", "]", "|", "^", "`", "{", "}", "~", "_", "-", ".", "*", "!", "$", ",", ":",
  ]
  private static let controls = [
    "\r", "\n", "\r\n", "\u{0}", "\r\nHost: x\r\n\r\nGET /", "\t", "\u{1B}[2J", "\u{7F}",
    "\u{85}", "\u{9B}",
  ]

  private static func name(_ generator: inout SplitMix64) -> String {
    let count = Int.random(in: 1...8, using: &generator)
    return (0..<count).reduce("x") { text, _ in text + pieces.randomElement(using: &generator)! }
  }

  @Test("F40: names are sent unchanged") func namesAreSentUnchanged() async throws {
    var generator = SplitMix64(seed: 40)
    let names = (0..<200).map { _ in Self.name(&generator) }
    let server = LocalServer(answer: LocalServer.answer("[\(Answers.vaduz)]"))
    let geocoder = try NominatimGeocoder(server)
    for (number, name) in names.enumerated() {
      _ = try await geocoder.geocode(name)
      #expect(server.requests.count == number + 1)
      let request = try #require(server.requests.last)
      #expect(request.query["q"]?.unicodeScalars.elementsEqual(name.unicodeScalars) == true)
      #expect(request.query.count == 5)
      #expect(request.line.hasSuffix(" HTTP/1.1"))
      #expect(request.line.split(separator: " ").count == 3)
      #expect(request.headers["host"] == "127.0.0.1:\(server.port)")
    }
  }

  @Test("F40: a control character in a name sends nothing", arguments: controls)
  func controlCharactersAreRefused(_ control: String) async throws {
    let server = LocalServer(answer: LocalServer.answer("[]"))
    let geocoder = try NominatimGeocoder(server)
    var generator = SplitMix64(seed: 41)
    for _ in 0..<20 {
      let name = Self.name(&generator) + control + Self.name(&generator)
      await #expect { try await geocoder.geocode(name) } throws: {
        ($0 as? LocationError)?.code == .invalidValue
      }
    }
    #expect(server.requests.isEmpty)
  }

  @Test("F42: no error contains the request") func errorsDoNotContainTheRequest() async throws {
    let closed = LocalServer(answer: "")
    let refused = "http://127.0.0.1:1"
    for geocoder in [
      try NominatimGeocoder(closed), try NominatimGeocoder(server: refused),
    ] {
      for name in ["Secret Street 9", ""] {
        do {
          _ = try await geocoder.geocode(name, near: Answers.point)
          Issue.record("no error")
        } catch {
          let text = "\(error) \(String(reflecting: error))"
          for secret in ["Secret", "47.1", "9.52", "viewbox"] { #expect(!text.contains(secret)) }
        }
      }
    }
  }
}
