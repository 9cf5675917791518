// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "tested-service",
  dependencies: [.package(path: "../async-location")],
  targets: [
    .target(
      name: "TripService",
      dependencies: [.product(name: "AsyncLocation", package: "async-location")]),
    .executableTarget(
      name: "trip-service",
      dependencies: [
        "TripService",
        .product(name: "AsyncLocation", package: "async-location"),
        .product(name: "GPSDBackend", package: "async-location"),
      ]),
    .testTarget(
      name: "TripServiceTests",
      dependencies: [
        "TripService",
        .product(name: "AsyncLocation", package: "async-location"),
        .product(name: "MockBackend", package: "async-location"),
      ]),
  ]
)
