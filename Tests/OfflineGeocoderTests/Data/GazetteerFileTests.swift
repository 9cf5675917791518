import AsyncLocation
import CGazetteer
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import OfflineGeocoder

/// Opens gazetteer files by path, including truncated and damaged files.
@Suite(.inTurn) struct GazetteerFileTests {
  private static let bytes = Array(
    UnsafeBufferPointer(start: gazetteer_data(), count: gazetteer_size()))
  private static let vaduz = Result {
    try Coordinate(latitude: 47.1412, longitude: 9.5215)
  }

  /// Calls a closure with the path of a temporary file, and removes the file afterwards.
  private func withFile(
    _ bytes: some Collection<UInt8>, _ body: (String) async throws -> Void
  ) async throws {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("places-\(UUID().uuidString)").path
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await body(path)
  }

  @Test func fileAnswersLikeTheLibrary() async throws {
    try await withFile(Self.bytes) { path in
      let geocoder = try OfflineGeocoder(contentsOf: path)
      let vaduz = try Self.vaduz.get()
      let expected = try await OfflineGeocoder().reverseGeocode(vaduz)
      #expect(try await geocoder.reverseGeocode(vaduz) == expected)
      #expect(try await geocoder.geocode("Vaduz").first?.name == "Vaduz")
    }
  }

  @Test(arguments: [1, 7, 8, 15, 16, 127, 128, 1_000_000, bytes.count - 1])
  func truncatedFileIsRejected(_ length: Int) async throws {
    try await withFile(Self.bytes.prefix(length)) { path in
      let error = #expect(throws: LocationError.self) { try OfflineGeocoder(contentsOf: path) }
      #expect(error?.code == .geocoderUnavailable)
    }
  }

  @Test func otherFilesAreRejected() async throws {
    for path in ["/nonexistent/places", "/", "/dev/null", "/etc/passwd"] {
      let error = #expect(throws: LocationError.self) { try OfflineGeocoder(contentsOf: path) }
      #expect(error?.code == .geocoderUnavailable, "\(path)")
    }
    try await withFile([]) { path in
      #expect(throws: LocationError.self) { try OfflineGeocoder(contentsOf: path) }
    }
    var later = Self.bytes
    later[8] += 1
    try await withFile(later) { path in
      let error = #expect(throws: LocationError.self) { try OfflineGeocoder(contentsOf: path) }
      #expect(error?.message.contains("another version") == true)
    }
  }

  /// Wrong indices and offsets give wrong answers or errors, and no crash.
  @Test(.longWork) func damagedFileIsHarmless() async throws {
    var random = SplitMix64(seed: 16)
    for round in 0..<4 {
      var damaged = Self.bytes
      for _ in 0..<50_000 {
        damaged[Int.random(in: 128..<damaged.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      // The odd rounds have a damaged header, too.
      if round % 2 == 1 { damaged[Int.random(in: 16..<128, using: &random)] ^= 1 }
      try await withFile(damaged) { path in
        guard let geocoder = try? OfflineGeocoder(contentsOf: path) else { return }
        for name in ["Paris, TX", "Berlim", "s", "Москва", "Springfield, US"] {
          _ = try? await geocoder.geocode(name, near: Self.vaduz.get())
        }
        for _ in 0..<20 {
          _ = try? await geocoder.reverseGeocode(
            Coordinate(
              latitude: .random(in: -90...90, using: &random),
              longitude: .random(in: -180...180, using: &random)))
        }
      }
    }
  }
}
