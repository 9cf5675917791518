import AsyncLocation
import NMEABackend

/// The code of the article and of doc comments, which must compile.
@MainActor
enum ArticleSnippets {
  static func serialPort() async throws {
    let manager = LocationManager(backend: NMEABackend(.serial(path: "/dev/ttyUSB0")))
    for try await location in manager.updates { print(location.coordinate) }
  }

  static func allOfThem() async throws {
    let manager = LocationManager(backend: NMEABackend(.serial(path: "/dev/ttyUSB0")))
    for try await location in manager.updates { print(location) }
  }

  static func network() {
    let plotter = NMEABackend(.tcp(host: "plotter.local"))
    let datagrams = NMEABackend(.udp(port: 10_110))
    _ = (plotter, datagrams)
  }

  static func text() throws {
    let source = try NMEASource("/dev/ttyUSB0@4800")
    _ = source
  }
}
