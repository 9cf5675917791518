import AsyncLocation
import OfflineGeocoder

/// Prints the place at a point; without a point, prints a constant line. The difference in cost
/// between the two is the cost of an answer.
@main
enum Program {
  static func main() async throws {
    let numbers = CommandLine.arguments.dropFirst().compactMap { Double($0) }
    guard numbers.count == 2 else { return print("nothing") }
    let point = try Coordinate(latitude: numbers[0], longitude: numbers[1])
    print(try await OfflineGeocoder().reverseGeocode(point)[0].name ?? "")
  }
}
