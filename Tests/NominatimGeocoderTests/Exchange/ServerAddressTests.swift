import AsyncLocation
import TestSupport
import Testing

@testable import NominatimGeocoder

@Suite(.inTurn) struct ServerAddressTests {
  @Test(arguments: [
    ("http://localhost:8080", "localhost:8080", "http://localhost:8080"),
    ("https://Places.Example.org/", "places.example.org", "https://Places.Example.org"),
    ("https://a.example:443/x/y//", "a.example", "https://a.example:443/x/y"),
    ("http://[::1]:80/", "::1", "http://[::1]:80"),
  ])
  func validAddressesAreRead(_ text: String, name: String, base: String) throws {
    let address = try ServerAddress(text)
    #expect(address.name.filter { !"[]".contains($0) } == name)
    #expect(address.base == base)
    #expect(!address.isOpenStreetMap)
  }

  @Test(arguments: [
    "", "localhost", "localhost:8080", "//localhost", "ftp://a.example", "file:///etc/passwd",
    "http://", "http://user@a.example", "http://user:word@a.example", "http://a.example?x",
    "http://a.example/#x", "http://a.example?", "http://a.example/ x", "http://a.example\r\nX: y",
    "http://a.example/\u{0}", "https://plätze.example", "javascript:alert(1)", "http://a:99999999/",
    "http://" + String(repeating: "a", count: 1100),
  ])
  func invalidAddressesAreRefused(_ text: String) throws {
    #expect { try ServerAddress(text) } throws: {
      ($0 as? LocationError)?.code == .invalidValue
    }
  }
}
